"""The words by which a follow-up is known, and those that name nothing, by language.

Tables only: English, Chinese, German. A question in another language counts as English, so that
none of its words says that it leans.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.word_lists import word_set


@dataclass(frozen=True, slots=True)
class Words:
    """One language's words, in lower case.

    ``persons`` and ``things`` stand for someone or something said before; ``pointers`` do so alone
    or before a noun ("this", "that model"); ``pointed`` are the words after which an English "that"
    is a pointer and no conjunction. ``rest`` ask for the others of a kind. ``joints`` join two
    clauses. ``small`` words and ``vague`` ones name no topic. ``begins`` matches the start of a
    question that goes on with the one before, ``expletive`` an "it" that stands for nothing,
    ``asks`` a question or request that is a whole sentence.
    """

    persons: frozenset[str]
    things: frozenset[str]
    pointers: frozenset[str]
    pointed: frozenset[str]
    rest: frozenset[str]
    joints: frozenset[str]
    articles: frozenset[str]
    small: frozenset[str]
    vague: frozenset[str]
    begins: re.Pattern[str]
    expletive: re.Pattern[str]
    asks: re.Pattern[str]


ENGLISH = Words(
    persons=word_set("he she they him her them his hers their theirs himself herself themselves"),
    things=word_set("it its itself"),
    pointers=word_set("this these those that"),
    pointed=word_set(
        "is was does did do doing about of in for with like after before during from at to on by"
        " would could can than because since"
    ),
    rest=word_set("else another other others instead too"),
    joints=word_set("and if when because so or but that , ? . ; : !"),
    articles=word_set("the"),
    small=word_set(
        "a an the of and or nor but to in is that for it with was on are as this be by not you we"
        " at from have has had having he she they his her hers my i what please if when which will"
        " can all your there how why who whom whose where do does did done doing many most some"
        " after although however while during since then these those such each also no yes any so"
        " him them its their theirs our ours us me mine were been being am would could should may"
        " might must shall about into onto than too very more much less other others another else"
        " one ones just out up down over only own same s t re ve m ll d don't doesn't didn't isn't"
        " wasn't aren't weren't can't couldn't won't wouldn't shouldn't haven't hasn't i'm i'd i've"
        " i'll you're we're they're let's between among through because against without within"
        " before under above off again both few until upon per via like unlike oh ok okay well hi"
        " hello thanks thank now actually really still ever never always often usually maybe"
        " perhaps myself yourself himself herself itself themselves something anything someone"
        " anyone everything nothing"
    ),
    vague=word_set(
        "tell know give find get got make made makes making think want need mean meant say said see"
        " look talk talking explain describe ask asked happen happened happens happening use used"
        " using work works worked go goes going went come came take took taken become became start"
        " started begin began thing things way ways kind kinds type types sort example examples"
        " information info detail details question answer article aspect aspects interesting"
        " important fact facts lot lots bit good great best better well-known famous main different"
        " difference people person time times year years first last long able help let try keep"
        " provide show list include including mention wondering wonder interested sure sorry"
        " summary"
    ),
    begins=re.compile(
        r"\W*(?:(?:ok(?:ay)?|oh|oops|well|so|yes|no|thanks|thank you|i see|interesting|great|right"
        r"|sure|hmm|aha|and|but|or|then)\b[\s,.!]*)*"
        r"(?:(?:what|how) about|and\b|then\b|but\b|or\b|why\W*$|why not\b|how so\b|i meant?\b"
        r"|which one|like what|such as|for example|besides|other than|in addition|apart from that"
        r"|not\b|any(?:thing|one|where) (?:else|more|special)\b|(?:what|who|where) else\W*$)",
        re.IGNORECASE,
    ),
    expletive=re.compile(
        r"\bit(?:['’]s| is| was| be| would be)? (?:not |really |still |ever |also |been )*"
        r"(?:possible|true|necessary|important|better|best|worth|safe|legal|illegal|okay|ok|common"
        r"|normal|good|bad|hard|easy|difficult|takes?|means?|costs?|matters?|makes? sense"
        r"|considered|said|that|to|like to|a good|rain|snow)\b|\bwhat time is it\b",
        re.IGNORECASE,
    ),
    asks=re.compile(
        r"\b(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|had|may|must|am"
        r"|what|who|when|where|why|how|which|i|we|you|isn't|aren't|don't|doesn't)\b"
        r"|^\W*(?:tell|describe|explain|give|show|list|name|compare|find|please|summari[sz]e)\b",
        re.IGNORECASE,
    ),
)

GERMAN = Words(
    persons=word_set(
        "er ihn ihm ihr ihre ihrer ihrem ihren ihres seine seiner seinem seinen ihnen"
    ),
    things=word_set("es dessen deren dafür damit darauf daran davon dazu darin dabei darüber"),
    pointers=word_set("dies diese dieser dieses diesem diesen jene jener jenes das"),
    pointed=frozenset(),
    rest=word_set("sonst andere anderen anderer weitere weiteren stattdessen auch"),
    joints=word_set("und wenn weil oder aber dass damit , ? . ; : !"),
    articles=word_set("der die das den dem des"),
    small=word_set(
        "der die das den dem des ein eine einen einem einer eines und oder aber nicht kein"
        " keine ist sind war waren wird werden wurde wurden sein hat haben hatte hatten kann"
        " können konnte muss müssen soll sollen sollte darf dürfen will wollen möchte in im an"
        " am auf aus bei mit nach von vom zu zum zur für über unter vor hinter zwischen durch"
        " gegen ohne um bis seit während was wer wen wem wessen wann wo wohin woher warum wieso"
        " weshalb wie welche welcher welches welchen welchem viel viele wieviel ich du er sie es"
        " wir ihr mich dich sich uns euch mir dir ihm ihn ihnen mein meine dein deine seine ihre"
        " unser unsere dies diese dieser dieses diesen jene man auch noch nur schon sehr mehr"
        " als ob wenn weil dass denn doch so dann da dort hier bitte danke ja nein gibt es"
        " andere anderen sonst"
    ),
    vague=word_set(
        "sag sagen erzähl erzähle erkläre erklären gib geben machen macht gehen geht kommen kommt"
        " brauche brauchen ding dinge art arten weise beispiel beispiele frage antwort mal jahr"
        " jahre zeit wichtig gut besser beste genau"
    ),
    begins=re.compile(
        r"\W*(?:(?:ok(?:ay)?|gut|ja|nein|danke|ach so)\b[\s,.!]*)*"
        r"(?:und\b|aber\b|oder\b|was ist mit\b|wie sieht es mit\b|wie wäre es mit\b|warum\W*$"
        r"|wieso\W*$|ich meine\b|ich meinte\b|zum beispiel)",
        re.IGNORECASE,
    ),
    expletive=re.compile(r"\b(?:gibt|geht|ist|wird|wäre|war) es\b|\bes (?:gibt|ist|geht)\b", re.I),
    asks=re.compile(
        r"\b(?:ist|sind|war|waren|hat|haben|kann|können|muss|müssen|soll|sollte|darf|wird|werden"
        r"|was|wer|wann|wo|warum|wie|welche[rsnm]?|wieso|ich|wir|gibt)\b"
        r"|^\W*(?:erzähl|erkläre?|nenne?|zeig|beschreib|vergleich|bitte)",
        re.IGNORECASE,
    ),
)

CHINESE_POINTERS = re.compile(
    r"它们?|他们?|她们?|(?<!尤)其(?![他它实中余次])|这(?!样)|那(?!么)|(?<![应活])该(?!如何|怎|怎么)"
    r"|此(?!外)|上述|前者|后者|以上|刚才"
)
"""What stands for something said before."""

CHINESE_BEGINS = re.compile(
    r"^\W*(?:(?:好的?|嗯|哦|谢谢|明白了?)[，,。!！\s]*)*(?:那么?|还有|另外|然后|其他|其它|别的|此外|而且|但是?|可是)"
    r"|^\W*为(?:什么|何)\W*$|呢\W*$"
)
"""The start, or the end, of a question that goes on with the one before."""

CHINESE_SMALL = re.compile(
    r"什么时候|为什么|是不是|有没有|能不能|可不可以|什么样|怎么样|怎么办|多少|什么|怎么|怎样|如何|为何|哪里|哪个"
    r"|哪些|哪种|何时|是否|可以|可否|需要|应该|应当|请问|告诉|介绍|一下|一些|哪|谁|几|吗|呢|吧|啊|呀|的|了|是|请|我们?"
    r"|你们?|您|他们?|她们?|它们?|这个|那个|这些|那些|这里|那里|这种|那种|这|那|和|与|或者?|以及|还有|另外|然后|那么|在"
    r"|有|会|要|想|能|把|被|给|从|就|都|也|还|又|再|很|最|其他|其它|别的|怎|何"
)
"""Words that name no topic: a run of Han between them may be one."""
