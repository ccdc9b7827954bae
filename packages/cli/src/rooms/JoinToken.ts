import { createHmac } from "node:crypto"

/** What a join credential says of its bearer; moments in seconds. Source: D-25. */
export interface JoinClaims {
  readonly iss: string
  readonly sub: string
  /** `*` = every room of the project. */
  readonly room: string
  readonly iat: number
  readonly exp: number
  readonly jti: string
  readonly name?: string
}

/**
 * A join credential: JWT, HS256, as a game's backend would sign it.
 *
 * @param secret the project's, `js_…`; its characters are the key
 */
export const joinToken = (claims: JoinClaims, secret: string): string => {
  const signed = [
    { alg: "HS256", typ: "JWT" },
    { aud: "rooms", role: "player", ...claims }
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".")
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}
