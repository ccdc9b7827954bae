export const readers = [
  "dev",
  "deploy",
  "deploy --static",
  "migrate create",
  "rollback",
  "logs",
  "rooms",
  "keys"
]

export const deploys = ["deploy", "deploy --static"]

export const projectId = "p_0123456789abcdef"
