"""What the page says of a named error, by its class: what happened, and what to do."""

ENGLISH_FAULTS = {
    "SettingsError": "A setting is not right. Correct it and start again.",
    "DocumentError": "The documents cannot be read. Look at the folder, then try again.",
    "StoreMissing": "The documents have not been read yet. Read them now.",
    "StoreStale": "The documents were read by another model or version. Read them again.",
    "StoreBusy": "Another program is reading the documents just now. Try again in a moment.",
    "StoreUnreachable": "The database cannot be reached. Look at its address and key.",
    "StoreError": "The database could not do what was asked. Try again.",
    "ModelRejected": "The model's server said no. Look at its address, the key and the name.",
    "ModelUnreachable": "The model's server does not answer. Start it, or look at its address.",
    "ModelError": "The model could not do what was asked. Try again.",
    "HistoryError": "This conversation is not being kept.",
    "ConversationMissing": "There is no such conversation. It may have been deleted.",
    "RagError": "That did not work. Try again.",
}

CHINESE_FAULTS = {
    "SettingsError": "有一项设置不正确。请改正后重新启动。",
    "DocumentError": "无法读取文档。请检查文件夹，然后重试。",
    "StoreMissing": "文档还没有读取。请现在读取。",
    "StoreStale": "文档是由另一个模型或版本读取的。请重新读取。",
    "StoreBusy": "另一个程序正在读取文档。请稍后重试。",
    "StoreUnreachable": "无法连接数据库。请检查地址和密钥。",
    "StoreError": "数据库未能完成请求。请重试。",
    "ModelRejected": "模型服务拒绝了请求。请检查密钥、模型名称和地址。",
    "ModelUnreachable": "模型服务没有响应。请启动它，或检查地址。",
    "ModelError": "模型未能完成请求。请重试。",
    "HistoryError": "这个对话没有被保存。",
    "ConversationMissing": "没有这个对话，它可能已被删除。",
    "RagError": "没有成功。请重试。",
}
