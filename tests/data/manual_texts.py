# ruff: noqa: E501
"""The texts that ``make_manuals.py`` makes files of; tests compare what is read with them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Manual:
    """``blocks`` are pairs of kind and content; ``#`` in ``foot`` is the page's number."""

    name: str
    title: str
    running: str
    foot: str
    blocks: tuple[tuple[str, object], ...]
    gap: str = "2mm"
    height: str = "180mm"
    kinds: tuple[str, ...] = ("pdf", "docx")
    folder: str = "tests/data"


ENGLISH = Manual(
    "steam-mop-m3.en",
    "Steam mop M3",
    "Steam mop M3 – service manual",
    "Revision 4 – page #",
    (
        ("title", "Steam mop M3"),
        ("p", ("The M3 cleans sealed hard floors with steam alone. It needs no detergent, and its "
              "tank holds enough water for about twenty-five minutes of uninterrupted operation.")),
        ("h1", "Safety"),
        ("p", ("Steam is hotter than boiling water feels. Never point the nozzle at people, animals "
              "or electrical installations, and disconnect the appliance from the mains before "
              "refilling the tank. The manufacturer accepts no responsibility for damage caused by "
              "unauthorised modifications. Children under eight years must not operate the M3.")),
        ("p", ("Unsealed wood, cork and limestone swell irreversibly when steam enters them. If you "
              "do not know whether your floor is sealed, let one drop of water stand on it for ten "
              "minutes: a dark spot means that it is not.")),
        ("h1", "Operation"),
        ("h2", "Filling the tank"),
        ("p", ("Use ordinary tap water. In regions with exceptionally hard water, a mixture of "
              "equal parts of tap water and demineralised water approximately doubles the interval "
              "between two descalings.{{Hardness above 14 °dH counts as hard.}} Do not add "
              "fragrances, vinegar or anti-limescale preparations to the tank.")),
        ("numbers", [
            "Pull out the plug.",
            "Turn the cap anticlockwise and lift it off.",
            "Fill in 450 ml of water at most.",
            "Close the cap until it clicks.",
        ]),
        ("h2", "Steam levels"),
        ("p", "Turn the ring on the handle to choose one of three levels."),
        ("table", [
            ["Level", "Suitable for", "Minutes per tank"],
            ["1", "Laminate", "25"],
            ["2", "Stone and tiles", "18"],
            ["3", "Sticky stains", "12"],
        ]),
        ("p", ("Wait until the green lamp shines before you start. Move the mop slowly and "
              "continuously; standing still on one place for more than five seconds can leave "
              "marks even on sealed floors, and these marks cannot always be removed afterwards. "
              "When the steam grows weak although the tank is not empty, the heating element is "
              "probably calcified and should be descaled before the next use. Let the pad dry in "
              "the open air, because a damp pad left under the mop discolours the floor within a "
              "single night. Replacement pads are washable at sixty degrees and usually survive "
              "about a hundred washes before the hook-and-loop fastening loses its grip.")),
        ("h1", "Maintenance"),
        ("h2", "Descaling"),
        ("p", ("Descale the M3 after every fifty tanks. Dissolve 20 g of citric acid in half a "
              "litre of lukewarm water, let the solution stand in the tank for forty minutes, and "
              "rinse twice with clear water. Never heat the acid: hot citric acid forms an "
              "insoluble deposit that permanently obstructs the valve.")),
        ("h2", "Spare parts"),
        ("bullets", [
            "Microfibre pad, two pieces: MP-310",
            "Seals",
            ["Cap seal: MP-321", "Valve seal: MP-322"],
            "Measuring cup: MP-330",
        ]),
        ("p", ("Orders are dispatched within three working days. Parts for the M3 remain available "
              "for at least ten years after the last appliance was manufactured.")),
    ),
)  # fmt: skip

CHINESE = Manual(
    "steam-mop-m3.zh",
    "M3 蒸汽拖把",
    "M3 蒸汽拖把维修手册",
    "第四版 第 # 页",
    (
        ("title", "M3 蒸汽拖把"),
        ("p", "M3 只用蒸汽清洁密封的硬质地面，不需要清洁剂。水箱加满后可以连续使用大约二十五分钟。"),
        ("h1", "安全须知"),
        ("p", ("蒸汽的温度高于沸水给人的感觉。切勿将喷嘴对准人、动物或电气设备，加水之前必须先拔下电源"
              "插头。因擅自改装造成的损坏，制造商不承担任何责任。八岁以下儿童不得操作 M3。")),
        ("h1", "使用方法"),
        ("h2", "水箱加水"),
        ("p", ("使用普通自来水即可。在水质特别硬的地区，将自来水与纯净水各取一半混合，可以把两次除垢之间的"
              "间隔延长约一倍。{{硬度超过 14 °dH 即为硬水。}}不要在水箱中加入香精、醋或防垢剂。")),
        ("numbers", [
            "拔下电源插头。",
            "逆时针旋转盖子并取下。",
            "加水，最多 450 毫升。",
            "盖上盖子，直到听见咔嗒声。",
        ]),
        ("h2", "蒸汽档位"),
        ("p", "转动手柄上的旋钮，可以选择三个档位之一。"),
        ("table", [
            ["档位", "适用地面", "每箱水分钟数"],
            ["1", "强化地板", "25"],
            ["2", "石材和瓷砖", "18"],
            ["3", "顽固污渍", "12"],
        ]),
        ("p", ("等绿色指示灯亮起后再开始使用。拖动时要缓慢而连续；在同一个地方停留超过五秒，即使是密封的"
              "地面也可能留下痕迹，而这些痕迹事后不一定能够去除。水箱里还有水而蒸汽却变弱时，多半是加热"
              "元件结了水垢，下次使用前应当先除垢。替换拖布可以用六十度的水清洗，通常洗一百次左右，粘扣才会失去粘力。")),
        ("h1", "保养"),
        ("h2", "除垢"),
        ("p", ("每用五十箱水，给 M3 除垢一次。将 20 克柠檬酸溶于半升温水，在水箱中静置四十分钟，然后用清水"
              "冲洗两遍。切勿加热柠檬酸：加热后会形成不溶的沉淀，永久堵塞阀门。")),
        ("h2", "备件"),
        ("bullets", [
            "超细纤维拖布，两片：MP-310",
            "密封圈",
            ["盖子密封圈：MP-321", "阀门密封圈：MP-322"],
            "量杯：MP-330",
        ]),
        ("p", "订单在三个工作日内发货。最后一台 M3 出厂之后，备件至少继续供应十年。"),
    ),
    height="140mm",
)  # fmt: skip

EGG_BOILER = Manual(
    "egg-boiler-q1",
    "Egg boiler Q1",
    "Egg boiler Q1 – quick guide",
    "page #",
    (
        ("title", "Egg boiler Q1"),
        ("p", "Q1 boils one to seven eggs in steam. A buzzer sounds when they are done."),
        ("h1", "Boiling eggs"),
        ("numbers", [
            "Prick each egg at its blunt end.",
            "Pour water into the dish, up to the line for the number of eggs.",
            "Put on the lid and press the switch.",
        ]),
        ("table", [
            ["Result", "Line in the cup"],
            ["Soft yolk", "lowest"],
            ["Hard yolk", "highest"],
        ]),
        ("h1", "After use"),
        ("p", ("Rinse the eggs under cold running water at once, or they go on cooking in their "
              "shells. Wipe the hot plate with a damp cloth as soon as it is only lukewarm.")),
        ("p", "The pin under the cup is sharp: keep it out of the reach of small children."),
    ),
    height="105mm",
    kinds=("pdf",),
    folder="docs/formats",
)  # fmt: skip

GIFT_CARDS = Manual(
    "gift-cards.zh",
    "礼品卡说明",
    "",
    "",
    (
        ("title", "礼品卡说明"),
        ("p", "礼品卡可以在官网和线下门店使用，面值有 100 元、300 元和 500 元三种。"),
        ("h1", "使用规则"),
        ("bullets", [
            "每张订单最多使用三张礼品卡。",
            "余额留在卡内，下次可以继续使用。",
            "礼品卡不找零，也不能兑换现金。",
        ]),
        ("h1", "挂失"),
        ("p", "卡片遗失后，请凭购卡小票到门店挂失。挂失当天冻结余额，三天后补发新卡。"),
    ),
    kinds=("docx",),
    folder="docs/formats",
)  # fmt: skip

MANUALS = (ENGLISH, CHINESE, EGG_BOILER, GIFT_CARDS)
