import { createHmac } from "node:crypto"

import { ConversationV1 } from "./ConversationV1.ts"
import type { JoinClaims, RoomCodec } from "./RoomCodec.ts"

/** D-24: one msgpack array for each WebSocket message. */
export const roomCodecV1: RoomCodec = {
  subprotocol: "rooms.v1",
  closes: {
    handshakeTimeout: 4408,
    roomFull: 4409,
    unauthenticated: 4401,
    projectMismatch: 4403,
    roomCrashed: 1011,
    tenantWaking: 4503
  },
  path: (project, room) => `/v1/rooms/${project}/${encodeURIComponent(room)}`,
  credential: (secret, claims) => signedBy(secret, claimsOf(claims)),
  assertion: (secret, { project, player, issuedAtMs, expiresAtMs }) =>
    signedBy(secret, {
      ...timesOf({ issuedAtMs, expiresAtMs }),
      iss: project,
      aud: "identity",
      sub: player
    }),
  conversation: () => new ConversationV1()
}

const jsonPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const signedBy = (secret: string, claims: object): string => {
  const signed = `${jsonPart({ alg: "HS256", typ: "JWT" })}.${jsonPart(claims)}`
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}

const timesOf = ({ issuedAtMs, expiresAtMs }: Pick<JoinClaims, "issuedAtMs" | "expiresAtMs">) => ({
  iat: Math.floor(issuedAtMs / 1000),
  exp: Math.floor(expiresAtMs / 1000)
})

const claimsOf = ({ project, player, room = "*", role, ...times }: JoinClaims) => ({
  iss: project,
  aud: "rooms",
  sub: player,
  room,
  ...(role === undefined ? {} : { role }),
  ...timesOf(times)
})
