"""OpenAI and servers that speak its protocol: connections, retries, what their errors mean."""
