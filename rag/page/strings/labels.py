"""What Streamlit's own buttons and boxes are called, by the names in ``frontend/labels.js``."""

ENGLISH_LABELS = {
    "skip": "Skip to the chat",
    "sidebar": "Sidebar",
    "collapse": "Close the sidebar",
    "expand": "Open the sidebar",
    "send": "Send",
    "files": "Files",
    "choose": "Choose files",
    "open": "Open",
    "help": "About: {name}",
}

CHINESE_LABELS = {
    "skip": "跳到主要内容",
    "sidebar": "侧边栏",
    "collapse": "收起侧边栏",
    "expand": "展开侧边栏",
    "send": "发送",
    "files": "文件",
    "choose": "选择文件",
    "open": "展开",
    "help": "{name}：说明",
}
