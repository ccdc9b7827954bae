import { boardPath, boardRead } from "./BoardReads.ts"
import type { Codecs } from "./Codecs.ts"
import { errorOf } from "./ErrorShape.ts"
import { matchCodec } from "./MatchCodec.ts"
import { openCall } from "./OpenCalls.ts"
import { roomCodecV1 } from "./RoomCodecV1.ts"

/** A text field of a JSON object, or null. */
const text = (json: unknown, field: string): string | null => {
  const value: unknown = Object(json)[field]
  return typeof value === "string" ? value : null
}

/** The shapes of our decisions. */
export const defaultCodecs: Codecs = {
  room: roomCodecV1,
  openCall,
  boardPath,
  boardRead,
  match: matchCodec,
  error: errorOf,
  restoreBody: (saveId) => ({ saveId }),
  saveId: (item) => text(item, "saveId"),
  minted: (json) => {
    const [keyId, secret] = [text(json, "keyId"), text(json, "secret")]
    return keyId === null || secret === null ? null : { keyId, secret }
  },
  revokedAt: (row) => text(row, "revokedAt"),
  capsBody: (ceilings) => ({ caps: ceilings }),
  cap: (json, meter) => {
    const view: unknown = Object(Object(json)["meters"])[meter]
    const { ceiling, used }: { ceiling?: unknown; used?: unknown } = Object(view)
    if (typeof used !== "number") return null
    return { ceiling: typeof ceiling === "number" ? ceiling : null, used }
  },
  newProject: (name) => ({ path: "/v1/projects", body: { name } }),
  projectId: (json) => text(json, "id"),
  identityBody: (project) => ({ project }),
  identity: (json) => {
    const [playerId, token] = [text(json, "playerId"), text(json, "token")]
    return playerId === null || token === null ? null : { playerId, token }
  },
  audience: (json) => text(json, "token"),
  audienceRoleBody: ({ name, role }) => ({ name, audienceRole: role }),
  audienceRole: (json) => Object(json)["audienceRole"],
  joinSecretPath: (project) => `/v1/projects/${project}/jwt-secret`,
  joinSecret: (json) => text(json, "secret"),
  ownersCalls: (project) => ({
    deploy: { method: "POST", path: `/v1/projects/${project}/deployments`, body: "" },
    rollback: { method: "POST", path: `/v1/projects/${project}/rollback`, body: {} },
    usage: { method: "GET", path: `/v1/projects/${project}/usage` },
    billing: { method: "GET", path: "/v1/billing" },
    fleet: { method: "GET", path: "/v1/fleet" },
    account: { method: "GET", path: "/v1/me" },
    cliToken: { method: "GET", path: "/v1/me/tokens" },
    playerData: { method: "GET", path: `/v1/projects/${project}/players/any/kv` }
  }),
  meters: (json) => {
    const meters: unknown = Object(json)["meters"]
    return typeof meters === "object" && meters !== null ? Object.keys(meters) : null
  },
  sessionCall: (token) => ({ method: "POST", path: "/v1/login/session", body: { token } }),
  session: ({ headers }) =>
    /(?:^|, )atrium_session=([^;]+)/.exec(headers["set-cookie"] ?? "")?.[1] ?? null,
  presence: (json) => {
    const { players, cursor }: { players?: unknown; cursor?: unknown } = Object(json)
    if (!Array.isArray(players) || typeof cursor !== "string") return null
    return {
      cursor,
      players: players.map((row) => ({
        playerId: text(row, "playerId") ?? "",
        roomId: text(row, "roomId")
      }))
    }
  },
  lobbyPath: (project) => `/v1/lobby?project=${project}`,
  lobbyRooms: (json) =>
    Array.isArray(json) ? json.flatMap((row) => text(row, "roomId") ?? []) : null
}
