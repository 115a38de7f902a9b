"""Words that questions are made with whatever they are about, and words of which each is as good as the others."""

from __future__ import annotations

from functools import cache

from sourcebook.text.case_and_accents import folded
from sourcebook.text.stems import stem_words
from sourcebook.text.word_lists import lines_of

WITH_LISTS = ("es", "pt", "ru", "en")
"""The languages that have lists."""

_GENERIC = """
what when where why how which who whom whose much many often can could should would must may might shall will do does
did done need needs needed require requires required is are was were be been being am has have had having best right
good better correct proper suitable ideal way ways manner kind type sort please tell explain advise recommend
recommended me want wants like likes prefer prefers suit suits there any some my your our i you we us one someone
possible allowed permitted usually normally exactly actually get steps step procedure find something name called know
whether if able happen happens give list show say also used use uses it its this that these those responsible number
amount total altogether then just currently now enumerate

что когда где куда откуда почему зачем отчего как какой какая какое какие какую каком каким каких какого какова каков
каковы сколько кто кого кому кем чем чего чему нужно надо нужен нужна нужны требуется требуются следует должен должна
должно должны можно разрешено разрешается позволяется возможно могу может могут ли подскажите пожалуйста скажите
расскажите посоветуйте объясните назовите перечислите покажите дайте делать сделать быть был была было были есть
является являются лучше лучший лучшее правильно правильный правильная подходит подходят любит любят предпочитает
годится мне мой моя мое мои меня мы вы вам нам способ способом образом порядок обычно именно вообще бы же чтобы если
это этот эта эти находится находятся расположен расположена расположено отвечает ответственный число количество имеет
имеют имел имела имели всего еще назови перечисли покажи выдай дай приведите укажите список который которая которое
которые насколько сейчас сегодня называется называются зовут имя название существует имеется

que quando onde aonde porque como qual quais quanto quanta quantos quantas quem devo deve devem dever pode podem posso
podemos é são ser foi foram era está estão fazer faço faz feito feita para por favor diga explique indique liste
mostre melhor meu minha meus minhas nosso nossa se em certo certa correto correta ideal maneira modo jeito forma
passos passo procedimento preciso precisa precisam necessário necessária necessários necessárias prefere gosta convém
possível permitido permitida quero num numa normalmente tem têm há haver existe existem fica ficam chama chamam nome
encontro responsável número total atualmente hoje agora tenho ter encontrar tipo qualquer algum alguma isso este esta
esse essa eu você vocês nós me mim lhe

qué cuándo dónde adónde cómo cuál cuáles cuánto cuánta cuántos cuántas quién quiénes cuando donde cual cuales cuanto
cuanta cuantos cuantas quien quienes debo debe deben deber puedo puede pueden podemos es son ser fue fueron era está
están estar hacer hago hace hacen hecho diga explique indique lista muestre mejor mi mis mío nuestro nuestra se cierto
correcto correcta manera modo forma pasos paso procedimiento necesito necesita necesitan necesario necesaria
necesarios falta prefiere gusta conviene posible permitido permitida quiero normalmente tiene tienen hay haber existe
existen queda quedan llama llaman nombre encuentro responsable número total actualmente hoy ahora tengo tener
encontrar tipo cualquier algún alguna eso esto este esta ese esa yo usted ustedes nosotros me le
"""

_ALIKE = """
fight fights combat rid eliminate бороться избавиться избавляться combater acabar livrar
keep keeps kept store stored last lasts хранится хранятся хранить держится dura duram guarda guardar
keep: conserva conservar
grow grows growing grown cultivate вырастить выращивать растить cultivar cultivo
cost costs price prices стоит стоят стоимость цена цену цены custa custam custo preço preços cuesta
cost: cuestan precio precios coste
begin begins began begun start starts started начинается начинаются началась начался началось начало
begin: начать começa começou
begin: começar início inicia iniciou empieza empezó empezar comienza comenzó comienzo
end ends ended finish finishes finished закончилась закончился закончилось закончить окончилась окончился окончание
end: завершилась завершился termina terminou terminar acaba acabou acabar terminó acabó
buy buys bought purchase purchases purchased купить покупать приобрести comprar compro adquirir
delete deletes deleted remove removes removed erase удалить удалять стереть remover removo excluir excluo
delete: apagar eliminar
delete: elimino borrar
big bigger biggest large larger largest большой большая большое большие крупный крупная крупное grande grandes
size sizes размер размера tamanho tamanhos tamaño
small smaller smallest little маленький малый pequeno pequena pequeño pequeña
employee employees worker workers staff сотрудник сотрудника сотруднику сотрудники сотрудникам работник работника
employee: работнику работники работникам funcionário funcionários empregado empregados empleado empleados trabajador
car cars automobile automobiles машина машину машине машины автомобиль автомобиля автомобиле carro carros
car: automóvel coche
fridge refrigerator холодильник холодильнике geladeira frigorífico nevera refrigerador
holiday holidays vacation vacations отпуск отпуска férias vacaciones
annual yearly годовой годовая годовую ежегодный anual
phone phones telephone smartphone телефон телефона смартфон telefone celular smartphone teléfono móvil
bill invoice invoices счет счета fatura faturas factura facturas
warranty guarantee гарантия гарантии гарантию garantia garantía
salary salaries wage wages зарплата зарплату оклад salário sueldo salario
refund refunds reimbursement возмещение reembolso
wifi wireless
send sends sent отправить отправлять послать посылать enviar envio mandar envío
permission allow allows permit permits разрешение разрешить permitir permite
document documents paper papers документ документы документов documento documentos papéis papeles
children child kids kid дети детей детям детьми детях ребенок ребенка ребенку ребенком criança crianças niños niño
doctor physician врач врача доктор médico médica
movie movies film films фильм фильмы фильмов filme filmes película películas
country countries страна страны стран стране país países
located situated расположена localizado localizada situado situada ubicado ubicada
create creates created make makes made создать создавать создал criar crio crear creo
choose choosing select selecting выбрать выбирать escolher selecionar elegir seleccionar
repair fix mend чинить починить отремонтировать ремонтировать consertar reparar arreglar
change changes changed changing поменять сменить менять изменить mudar alterar
quickest fastest
inhabitants residents жители жителей habitantes
author authors write writes wrote written автор автора написал написала написан autor autora escreveu escrito escribió
near nearest closest ближайший ближайшая ближайшее próximo próxima próximos próximas perto cercano cercana cercanos
take takes занимает идет длится leva demora lleva tarda
city town город города городе cidade cidades ciudad ciudades
border borders граница границы граничит fronteira
pupil pupils student students ученик ученики студент студенты aluno alunos estudante estudantes alumno alumnos
lift elevator
trip trips journey поездка поездку viagem viaje
mistake mistakes error errors ошибка ошибки erro erros
lawyer lawyers attorney attorneys адвокат юрист
password passwords пароль пароля senha senhas contraseña clave
wife spouse жена жену esposa
activate activated enable enabled включить включать активировать включается ativar ativo activar activo
activate: encender enciende
turn_off deactivate deactivated disable disabled выключить выключать отключить desativar desativo desligar desactivar
add adds added adding добавить добавлять добавляют adicionar adiciono acrescentar acrescenta añadir añado agregar
prune prunes pruned pruning cut cuts cutting обрезать обрезают обрезка обрезку срезать срезают вырезать вырезают
prune: podar podam poda podo cortar cortam
developer developers dev devs
certificate certificates cert certs
hours hour hrs hr
minutes minute mins
maximum max
information info
photo photos picture pictures pic pics
ill sick illness sickness болен больна болеет болеют заболел заболела doente doentes enfermo enferma enfermos
leader head chief boss начальник руководитель глава chefe jefe
"""

_CLASS_NOUNS = """
river company firm city town lake mountain mount street movie film novel book painting song island country president
река реки реке реку рекой компания компании компанию город города городе озеро озера озере гора горы горе улица улицы
улице фильм фильма фильме роман романа книга книги картина картины картину песня песни остров острова острове страна
страны автомобиль автомобиля пророк писатель поэт художник rio empresa companhia cidade lago montanha monte rua filme
romance livro quadro pintura canção música ilha país río compañía ciudad montaña calle película novela libro cuadro
canción isla
"""


@cache
def generic_words() -> frozenset[str]:
    """Words that tell nothing about what a question is about, in all languages that have a list; folded."""
    return frozenset(map(folded, _GENERIC.split()))


@cache
def stems_alike(language: str | None) -> dict[str, str]:
    """For the stem of each word with others that are as good in questions, the first of these words."""
    alike: dict[str, str] = {}
    for line in _ALIKE.strip().splitlines():
        first, mark, rest = line.partition(": ")
        forms = [folded(form) for form in (rest if mark else line).split()]
        alike |= dict.fromkeys(stem_words(forms, language), first if mark else forms[0])
    return alike


@cache
def words_alike() -> dict[str, str]:
    """`stems_alike` of all languages that have a list, for texts of which it is not known which they are in."""
    return {stem: first for language in WITH_LISTS for stem, first in stems_alike(language).items()}


@cache
def words_of_a_kind() -> dict[str, frozenset[str]]:
    """For the stems of everyday words those of what they are a kind of, and of what is a kind of them."""
    related: dict[str, frozenset[str]] = {}
    for line in lines_of("broader_words.txt"):
        broader, narrower = (stems_everywhere(part.split()) for part in line.split(":"))
        for stems, others in ((broader, narrower), (narrower, broader)):
            for stem in stems:
                related[stem] = related.get(stem, frozenset[str]()) | others
    return related


@cache
def near_words(language: str | None) -> dict[str, frozenset[str]]:
    """For the stems of everyday words those of others that texts say instead: what is hired is rented.

    Each language has its own: a Spanish "red" is a network. Words of an unknown one are read as they are stemmed, by
    their letters.
    """
    if language is None:
        return near_words("en") | near_words("ru")
    near: dict[str, frozenset[str]] = {}
    for line in lines_of(f"near_words.{language}.txt"):
        stems = frozenset(stem_words(line.split(), language))
        for stem in stems:
            near[stem] = near.get(stem, frozenset[str]()) | stems
    return near


def stems_everywhere(forms: list[str]) -> frozenset[str]:
    """The stems of words in all languages that have a list."""
    return frozenset(stem for language in WITH_LISTS for stem in stem_words(forms, language))


@cache
def class_nouns() -> frozenset[str]:
    """Words that only say what a name is the name of: `the river Rhine` is `the Rhine`. Folded."""
    return frozenset(map(folded, _CLASS_NOUNS.split()))
