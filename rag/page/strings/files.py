"""What the page says of a file: what has become of it, and why it is not read.

Reasons go by the kinds of :mod:`rag.page.reading_faults`; English has the readers' own words.
"""

ENGLISH_STATES = {
    "same": "",
    "changed": "Changed since it was read",
    "gone": "No longer in the folder",
    "new": "Not read yet",
    "skipped": "Not read",
}

CHINESE_STATES = {
    "same": "",
    "changed": "读取之后有改动",
    "gone": "已不在文件夹中",
    "new": "尚未读取",
    "skipped": "未读取",
}

CHINESE_REASONS = {
    "type": "不支持这种文件类型。",
    "large": "文件太大。",
    "scan": "页面是图片，没有文字。请先做文字识别（OCR）。",
    "empty": "文件中没有文字。",
    "encrypted": "文件已加密，或是旧版 .doc 格式。",
    "damaged": "文件已损坏。",
    "not_what": "文件内容与它的类型不符。",
    "encoding": "无法识别文字编码。请另存为 UTF-8。",
    "slow": "读取时间过长。",
    "not_sent": "文件没有传到，请重试。",
    "room": "上传文件夹已满。",
    "link": "这是一个链接，没有跟随。",
    "kept": "无法写入上传文件夹。",
    "unreadable": "无法读取文件。",
    "name": "文件名不可用。",
}
