import type { HttpRequest } from "../trial/HttpProbe.ts"

/** Open endpoints that have an allowance, by the name in their rows. */
export type OpenEndpoint =
  | "match.join"
  | "match.party"
  | "match.status"
  | "identity.mint"
  | "identity.assertion"
  | "leaderboard.read"
  | "account.linkCode"
  | "account.link"
  | "account.manage"
  | "presence.read"
  | "presence.watch"
  | "audience.mint"

/** The subject of a call; an endpoint leaves out the parts that it does not need. */
export interface OpenAsked {
  readonly project: string
  /** The token of an identity of the project. */
  readonly identity: string
  /** A board of the project. */
  readonly board: string
  /** A room of the project with an audience. */
  readonly room: string
  /** A developer's assertion. */
  readonly assertion: string
  /** A link code; absent = one that nobody has made. */
  readonly code?: string
  /** Of an account the devices alone; absent = all of it. */
  readonly devices?: boolean
  /** Players whose rooms are asked for; absent = one who was never there. */
  readonly players?: ReadonlyArray<string>
  /** The cursor of an earlier answer, for a watch. */
  readonly cursor?: string
  /** How long a watch waits; absent = a second. */
  readonly waitS?: number
}

export type OpenCall = Pick<HttpRequest, "method" | "path" | "body" | "bearer">

/** D-26 to D-34. */
export const openCall = (
  endpoint: OpenEndpoint,
  {
    project,
    identity,
    board,
    room,
    assertion,
    code = "00000000",
    devices = false,
    players = ["nobody"],
    cursor,
    waitS = 1
  }: OpenAsked
): OpenCall => {
  const post = (path: string, body: object = {}): OpenCall => ({
    method: "POST",
    path,
    body: { project, ...body }
  })
  const get = (path: string, query = ""): OpenCall => ({
    method: "GET",
    path: `${path}?project=${project}${query}`
  })
  switch (endpoint) {
    case "match.join":
      return post("/match", { identity })
    case "match.party":
      return post("/match/party", { identity })
    case "match.status":
      return get("/match/status")
    case "identity.mint":
      return post("/v1/identity")
    case "identity.assertion":
      return post("/v1/identity/assertion", { assertion })
    case "leaderboard.read":
      return get(`/v1/leaderboard/${board}/top`)
    case "account.linkCode":
      return { ...post("/v1/account/link-code"), bearer: identity }
    case "account.link":
      return { ...post("/v1/account/link", { code }), bearer: identity }
    case "account.manage":
      return { ...get(devices ? "/v1/account/devices" : "/v1/account"), bearer: identity }
    case "presence.read":
      return get("/v1/presence", `&players=${players.join()}`)
    case "presence.watch":
      return get(
        "/v1/presence",
        `&players=${players.join()}&wait=${waitS}${cursor === undefined ? "" : `&cursor=${cursor}`}`
      )
    case "audience.mint":
      return post("/v1/audience", { roomId: room })
  }
}
