import { createHmac } from "node:crypto"

const lifeSeconds = 3600

const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url")

/** A join credential as a game's own backend signs it. Source: D-25. */
export const joinCredential = (of: {
  readonly project: string
  readonly secret: string
  readonly player: string
  /** Absent = the player has no name. */
  readonly name?: string
}): string => {
  // A service that is not in test mode compares it with the machine's clock, so this reads that one.
  const issuedAt = Math.floor(Date.now() / 1000)
  const claims = {
    iss: of.project,
    aud: "rooms",
    sub: of.player,
    ...(of.name === undefined ? {} : { name: of.name }),
    iat: issuedAt,
    exp: issuedAt + lifeSeconds
  }
  const text = `${base64url({ alg: "HS256", typ: "JWT" })}.${base64url(claims)}`
  return `${text}.${createHmac("sha256", of.secret).update(text).digest("base64url")}`
}
