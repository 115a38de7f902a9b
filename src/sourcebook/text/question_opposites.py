"""Words that turn a question or a statement around when one stands for the other.

A closed list: a line has two opposites, or several words of which each excludes the others, as days of the week do. A
star ends a beginning: `increas*` is also `increases` and `increasing`. What a prefix makes (`install`, `uninstall`)
needs no line.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from itertools import permutations

from sourcebook.text.analysis import words
from sourcebook.text.normal_form import folded

_LISTS = {
    "en": """
        open opens opened opening | close closes closed closing shut
        begin* began begun start starts started starting launch* | end ends ended ending finish* stop stops stopped
        buy* bought purchas* | sell* sold
        add adds added adding insert* | remov* delet* subtract* eras*
        creat* | destroy* delet*
        import imports imported importing | export exports exported exporting
        upload* | download*
        enter entry entrance | exit exits leave leaves leaving
        arriv* | depart*
        accept* approv* | reject* declin* refus* deny denies denied
        allow* permit* | forbid* forbidden prohibit* ban banned
        win wins won | lose loses lost
        send sends sent sending | receiv*
        give gives gave given | take takes took taken
        lend* lent | borrow*
        teach* taught | learn*
        push* | pull*
        rais* increas* rise rises rose grow* | decreas* reduc* lower* drop* fall falls fell shrink*
        max maximum maximal most highest | min minimum minimal least lowest
        high higher | low lower
        large larger largest big bigger biggest | small smaller smallest little
        long longer longest | short shorter shortest
        wide wider widest broad broader | narrow*
        deep deeper deepest | shallow*
        thick* | thin thinner thinnest
        heavy heavier heaviest | light lighter lightest
        fast faster fastest quick* | slow*
        early earlier earliest | late later latest
        old older oldest | new newer newest young younger youngest
        first | last
        next following | previous preceding
        good better best | bad worse worst
        strong stronger strongest | weak weaker weakest
        hot hotter warm warmer | cold colder cool cooler
        hard harder difficult | easy easier simple
        rich richer wealthy | poor poorer
        full | empty
        wet | dry
        clean* | dirty
        cheap* | expensive
        public | private
        internal inside indoor indoors | external outside outdoor outdoors
        local | remote
        input inputs | output outputs
        north northern | south southern
        east eastern | west western
        left | right
        up upper | down lower
        above over | below under
        before | after
        more | less fewer
        with | without
        on | off
        always | never
        all every | none
        cause causes | prevent* avoid*
        encrypt* | decrypt*
        lock locks locked locking | unlock*
        enable* | disabl*
        activ* | deactiv*
        attach* | detach*
        mount* | unmount*
        compress* | decompress* extract*
        renew* extend* | cancel* terminat*
        hire hires hired hiring | fire fires fired firing dismiss*
        advantage* benefit* pro pros | disadvantage* drawback* risk* con cons harm*
        gain* profit* | loss losses
        income | expense expenses
        employer* | employee*
        buyer* customer* | seller* vendor*
        landlord* | tenant*
        parent parents mother father | child children son daughter
        male man men boy boys husband | female woman women girl girls wife
        minor minors | adult adults
        day daytime | night nighttime
        morning | evening
        domestic | international foreign
        raw | cooked
        active | inactive passive
        positive* | negative*
        vertical* | horizontal*
        manual* | automatic*
        temporary temporarily | permanent permanently
        succeed* success successful | fail* failure
        victory | defeat
        asset assets | liability liabilities
        cause causes | effect effects
        question questions | answer answers
        war | peace
        life alive living born birth | death dead died die dies
        monday* | tuesday* | wednesday* | thursday* | friday* | saturday* | sunday*
        january | february | march | april | june | july | august | september | october | november | december
        spring | summer | autumn | winter
        hourly | daily | weekly | monthly | quarterly | annual annually yearly
        first | second | third | fourth | fifth
        red | green | blue | yellow | black | white
        breakfast | lunch | dinner
    """,
    "ru": """
        открыв* откры* открой* | закрыв* закры* закрой*
        начал* начин* начн* запуск* запуст* | законч* заканч* конец конца кончи* заверш* остановить останав*
        купи* покупа* покупк* | прода* продаж*
        добав* встав* | удал* убрать убира* исключ*
        созда* | уничтож* удал*
        импорт* | экспорт*
        загруз* загруж* | выгруз* выгруж* скача*
        вход* войти въезд* въех* | выход* выйти выезд* выех*
        прибы* приезж* приехать прилет* | отбы* уезж* уехать отправлен* вылет*
        принят* приним* прием* одобр* утверд* | отклон* отказ* отверг*
        разреш* позвол* можно | запре* нельзя
        выигр* побед* | проигр* пораж*
        отправ* посла* послать | получ*
        включ* | выключ* отключ*
        подключ* присоедин* | отключ* отсоедин*
        привяз* | отвяз*
        установ* | удал* снять снима*
        увелич* повы* раст* рост роста выраст* | уменьш* сниж* сниз* пони* падени* сокра*
        максим* наибольш* | миним* наименьш*
        высок* выше | низк* ниже
        больш* крупн* | мал маленьк* малы* мелк* меньш*
        более больше | менее меньше
        длин* длинн* | коротк* короч*
        широк* шир* | узк* уже
        глубок* глубж* | мелк*
        толст* толщ* | тонк*
        тяжел* | легк* легч*
        быстр* | медлен*
        рано раньше ранн* | поздно позже поздн*
        старый стара* стары* старо* старше | нов* молод*
        перв* | последн*
        следующ* | предыдущ*
        хорош* лучш* | плох* худш*
        сильн* | слаб*
        горяч* тепл* | холодн*
        сложн* трудн* | прост* легк*
        богат* | бедн*
        полн* | пуст*
        мокр* влажн* | сух*
        чист* | грязн*
        дешев* | дорог*
        публичн* общедоступн* | частн* закрыт*
        внутр* | внешн* наружн*
        локальн* | удаленн*
        север* | юг* южн*
        восток* восточн* | запад*
        лев* слева | прав* справа
        верх* сверху | низ* снизу нижн*
        до перед | после
        с со | без
        всегда | никогда
        все всех каждый | никто никакой
        зашифр* шифрова* | расшифр*
        заблокир* блокиров* | разблокир*
        продл* | отмен* прекра* расторг*
        наня* найм* | увол*
        преимуществ* польз* плюс* | недостат* вред* минус* риск*
        прибыл* доход* | убыт* расход*
        работодател* | работник* сотрудник*
        покупател* | продав*
        арендодател* | арендатор*
        родител* мать отец | ребен* дет* сын* дочь
        мужчин* муж* мальчик* | женщин* жен* девочк*
        несовершеннолетн* | совершеннолетн* взросл*
        день днем дневн* | ночь ночью ночн*
        утр* | вечер*
        внутренн* отечественн* | международн* иностран* зарубежн*
        сырой сырая сырое сырые сырую сырого | варен* жарен*
        активн* | неактивн* пассивн*
        положительн* | отрицательн*
        вертикальн* | горизонтальн*
        ручн* вручную | автомат*
        временн* | постоянн*
        успе* удач* | неудач* провал*
        причин* | следств* последств*
        вопрос* | ответ*
        войн* | мир мира мире
        родил* рожд* | умер* смерт*
        поставить ставить надеть | снять снимать
        принес* привез* | унес* увез*
        понедельник* | вторник* | среда среду средам | четверг* | пятниц* | суббот* | воскресен*
        январ* | феврал* | март* | апрел* | май мая мае | июн* | июл* | август* | сентябр* | октябр* | ноябр* | декабр*
        весн* | лето летом лета летн* | осен* | зим*
        ежечасн* | ежедневн* | еженедельн* | ежемесячн* месячн* | квартальн* | ежегодн* годов*
        перв* | втор* | трет* | четверт* | пятый пятая пятое пятого пятой
        красн* | зелен* | син* голуб* | желт* | черн* | бел*
        завтрак* | обед* | ужин*
    """,
    "pt": """
        abrir abre abrem abriu abert* | fech* encerr*
        comec* começ* inici* | termin* acab* fim parar parou encerr*
        compr* | vend*
        adicion* acrescent* inser* inclu* | remov* exclu* apag* elimin* retir*
        criar cria crio criou criação | destru* apag* exclu*
        import* | export*
        carreg* | baix* descarreg*
        entrar entra entrada | sai sair saíd* saem
        cheg* | partir partida partem saíd*
        aceit* aprov* | rejeit* recus* negar nega negou negad*
        permit* permis* | proib*
        ganh* venc* | perd*
        envi* mand* | receb*
        dar dou deu | tirar tira tomar
        emprest* | devolv*
        lig* ativ* acend* | deslig* desativ* apag*
        conect* | desconect*
        instal* | desinstal*
        aument* subir sobe subiu cresc* | diminu* reduz* baix* cai caem caiu
        máximo máxima máximos máximas maior maiores | mínimo mínima mínimos mínimas menor menores
        alto alta altos altas | baixo baixa baixos baixas
        grande grandes | pequeno pequena pequenos pequenas
        longo longa longos longas comprid* | curto curta curtos curtas
        largo larga largos largas | estreit*
        profund* fundo | raso rasa rasos rasas
        grosso grossa espess* | fino fina finos finas
        pesad* | leve leves
        rápid* | lent* devagar
        cedo | tarde
        velho velha velhos velhas antig* | novo nova novos novas jovem jovens recent*
        primeir* | últim*
        próxim* seguint* | anterior anteriores
        bom boa bons boas melhor melhores | mau má maus más pior piores ruim
        forte fortes | fraco fraca fracos fracas
        quente quentes | frio fria frios frias
        difícil difíceis | fácil fáceis simples
        rico rica ricos ricas | pobre pobres
        cheio cheia cheios cheias | vazio vazia vazios vazias
        molhad* úmid* | seco seca secos secas
        limp* | suj*
        barat* | caro cara caros caras
        públic* | privad*
        intern* dentro | extern* fora
        local locais | remot*
        norte | sul
        leste | oeste
        esquerd* | direit*
        cima acima | baixo abaixo
        antes | depois após
        mais | menos
        com | sem
        sempre | nunca
        todos todas tudo | nenhum nenhuma nada
        cifr* criptograf* | decifr* descriptograf*
        bloque* | desbloque*
        renov* prorrog* | cancel* rescind*
        contrat* | demit* despedi*
        vantag* benefíci* | desvantag* risc* dano*
        lucro* ganho* receit* | prejuízo* perda* despes*
        empregador* | empregad*
        comprador* client* | vendedor*
        proprietári* senhorio | inquilin*
        pai mãe pais | filh*
        homem homens marido masculin* | mulher mulheres esposa feminin*
        dia diurn* | noite noturn*
        manhã | tarde noite
        nacional nacionais | internacional internacionais estrangeir*
        cru crua crus cruas | cozid*
        ativ* | inativ* passiv*
        positiv* | negativ*
        vertical verticais | horizontal horizontais
        manual manuais | automátic*
        temporári* | permanent* definitiv*
        sucesso | fracasso falha*
        causa causas | efeito efeitos consequênci*
        guerra guerras | paz
        nasc* | morr* morte
        segunda | terça* | quarta* | quinta* | sexta* | sábado* | domingo*
        janeiro | fevereiro | março | abril | maio | junho | julho | agosto | setembro | outubro | novembro | dezembro
        primavera | verão | outono | inverno
        diári* | semanal semanais | mensa* | trimestra* | anual anuais
        primeir* | segund* | terceir* | quart* | quint*
        vermelh* | verde verdes | azul azuis | amarel* | preto preta | branc*
        almoço | jantar
    """,
    "es": """
        abrir abre abren abrió abiert* | cerr* cierr*
        empez* empiez* comenz* comienz* inici* | termin* acab* fin parar
        compr* | vend*
        añad* agreg* insert* | elimin* borr* quit* suprim*
        crear crea creo creó creación | destru* borr*
        import* | export*
        subir sube cargar carga | bajar baja descarg*
        entrar entra entrada | salir sale salen salida
        lleg* | partir partida salida
        acept* aprob* aprueb* | rechaz* deneg* deniega
        permit* permis* | prohib*
        ganar gana ganó ganador venc* | perd* pierd*
        envi* mand* | recib*
        dar doy da | quitar quita tomar
        prestar presta préstamo | devolv*
        encend* enciend* activ* | apag* desactiv*
        conect* | desconect*
        instal* | desinstal*
        aument* crec* subir sube subió | dismin* reduc* bajar baja bajó
        máximo máxima máximos máximas mayor mayores | mínimo mínima mínimos mínimas menor menores
        alto alta altos altas | bajo baja bajos bajas
        grande grandes | pequeño pequeña pequeños pequeñas
        largo larga largos largas | corto corta cortos cortas
        ancho ancha anchos anchas | estrech*
        profund* hondo | superficial
        grueso gruesa | fino fina delgad*
        pesad* | liger* livian*
        rápid* | lent* despacio
        temprano pronto | tarde
        viejo vieja viejos viejas antigu* | nuevo nueva nuevos nuevas joven jóvenes
        primer* | últim*
        próxim* siguient* | anterior anteriores
        bueno buena buen mejor mejores | malo mala mal peor peores
        fuerte fuertes | débil débiles
        caliente calientes | frío fría fríos frías
        difícil difíciles | fácil fáciles
        rico rica ricos ricas | pobre pobres
        lleno llena | vacío vacía
        mojad* húmed* | seco seca secos secas
        limpi* | suci*
        barat* | caro cara caros caras
        públic* | privad*
        intern* dentro | extern* fuera
        local locales | remot*
        norte | sur
        izquierd* | derech*
        arriba encima | abajo debajo
        antes | después
        más | menos
        con | sin
        siempre | nunca
        todos todas todo | ningún ninguno ninguna nada
        cifr* encript* | descifr* desencript*
        bloque* | desbloque*
        renov* renuev* prorrog* | cancel* rescind*
        contrat* | desped* despid*
        ventaj* benefici* | desventaj* riesg* daño*
        ganancia* ingres* | pérdida* gasto*
        empleador* | emplead*
        comprador* client* | vendedor*
        propietari* casero | inquilin*
        padre madre padres | hij*
        hombre hombres marido masculin* | mujer mujeres esposa femenin*
        día diurn* | noche nocturn*
        nacional nacionales | internacional internacionales extranjer*
        crudo cruda | cocid*
        positiv* | negativ*
        vertical verticales | horizontal horizontales
        manual manuales | automátic*
        temporal temporales | permanent* definitiv*
        éxito | fracaso fallo
        causa causas | efecto efectos consecuencia*
        guerra guerras | paz
        nacer nació nacid* nacimiento | morir murió muere muert*
        lunes | martes | miércoles | jueves | viernes | sábado* | domingo*
        enero | febrero | marzo | abril | mayo | junio | julio | agosto | septiembre | octubre | noviembre | diciembre
        primavera | verano | otoño | invierno
        diari* | semanal* | mensual* | trimestral* | anual*
        primer* | segund* | tercer* | cuart* | quint*
        rojo roja | verde verdes | azul azules | amarill* | negr* | blanc*
        desayuno | almuerzo | cena
    """,
}
_PREFIXES = {
    "en": ("un", "dis", "de", "in", "im", "ir", "non", "mis"),
    "ru": ("не", "без", "бес"),
    "pt": ("des", "in", "im", "ir", "anti"),
    "es": ("des", "in", "im", "ir", "anti"),
}
_SHORTEST_WITHOUT_PREFIX = 4


@dataclass(frozen=True, slots=True)
class _Forms:
    """One side of a line: whole words, and beginnings of words."""

    whole: frozenset[str]
    beginnings: tuple[str, ...]

    def holds(self, word: str) -> bool:
        return word in self.whole or (bool(self.beginnings) and word.startswith(self.beginnings))


def turned_around(one: str, other: str, language: str | None) -> bool:
    """Whether a word of the one text, that the other lacks, has its opposite in the other, which the one lacks."""
    here, there = words(one), words(other)
    mine = [word for word in here if word not in there]
    theirs = [word for word in there if word not in here]
    if _are_opposite(mine, theirs, language):
        return True
    prefixes = _PREFIXES.get(language or "", ())
    return _is_prefixed(mine, theirs, prefixes) or _is_prefixed(theirs, mine, prefixes)


def _are_opposite(mine: Collection[str], theirs: Collection[str], language: str | None) -> bool:
    return any(
        _any(one, mine) and _any(other, theirs)
        for sides in _lines(language)
        for one, other in permutations(sides, 2)
    )


def _any(side: _Forms, found: Collection[str]) -> bool:
    return any(side.holds(word) for word in found)


def _is_prefixed(plain: Collection[str], prefixed: Collection[str], prefixes: Collection[str]) -> bool:
    """Whether one of these words stands there with a prefix that denies it: `used` and `unused`."""
    beginnings = {word[:-2] if len(word) > _SHORTEST_WITHOUT_PREFIX + 2 else word for word in plain}
    wanted = tuple(
        prefix + beginning
        for beginning in beginnings
        if len(beginning) >= _SHORTEST_WITHOUT_PREFIX
        for prefix in prefixes
    )
    return bool(wanted) and any(word.startswith(wanted) for word in prefixed)


@cache
def _lines(language: str | None) -> tuple[tuple[_Forms, ...], ...]:
    lines = _LISTS.get(language or "", "").strip().splitlines()
    return tuple(tuple(_forms(side) for side in line.split("|")) for line in lines)


def _forms(side: str) -> _Forms:
    listed = [folded(form) for form in side.split()]
    return _Forms(
        frozenset(form for form in listed if not form.endswith("*")),
        tuple(form.removesuffix("*") for form in listed if form.endswith("*")),
    )
