import { joinCredential } from "@atrium/api/testing/load/JoinCredential"
import { graffiti } from "@atrium/api/testing/rooms/graffitiSchema"
import { scorer } from "@atrium/api/testing/rooms/scorerSchema"
import { call, deployAnew, type RunningService } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom } from "@atrium/sdk/client"

/** It would call a function of the page, and close what it stands in. */
const tags = `"'></textarea></title><img src=x onerror=graffiti()><script>graffiti()</script>`
/** The same with a sign that turns the text beside it. */
export const markup = `${tags}\u202e`

type Service = Pick<RunningService, "url" | "token" | "project">

/** A project of which each text that the service takes is markup. */
export interface HostileProject {
  /** Addresses of pages of the console that no menu leads to. */
  readonly addresses: ReadonlyArray<string>
  /** A player who stays in the room `wall`. */
  readonly player: ClientRoom<typeof graffiti>
}

/** Fills a project: a room with large state, a log, a life and two saves; players, scores, a ticket, KV, keys, a clip. */
export const hostileProject = async (service: Service): Promise<HostileProject> => {
  const { project } = service
  const send = sending(service)
  await send("PUT", "/name", { name: tags })
  await send("PATCH", "", { name: tags, boards: { kills: { direction: "higher" } } })
  const files = ["probe", "single", "graffiti", "scorer"].map((name) => `rooms/${name}.ts`)
  await deployAnew(service, files)
  const { secret } = await send("POST", "/jwt-secret", {})
  const token = joinCredential({ project, secret: String(secret), player: markup, name: markup })
  const client = new Client(service.url, { project, token })
  const wall = (): Promise<ClientRoom<typeof graffiti>> =>
    client.joinOrCreate(graffiti, { roomId: "wall" })

  for (const turn of ["first", "second"]) {
    const room = await wall()
    await room.request("spray", { text: `${turn} ${markup}` })
    await room.request("unroll", { text: markup, times: 500, notes: 10_000 })
    await room.request("fill", { marks: 5000 })
    await room.leave()
    await until("the room sleeps", async () => {
      const { status } = await send("GET", "/rooms/wall")
      return status === "hibernated"
    })
  }
  const crashed = await wall()
  await crashed.request("crash", { text: markup }).catch(() => undefined)
  await until("the room's life tells of the crash", async () =>
    JSON.stringify(await send("GET", "/rooms/wall/life")).includes("graffiti()")
  )
  const player = await wall()
  await player.request("spray", { text: markup })
  await fillNouns(service, client, token)

  const saves = Object.values(await send("GET", "/rooms/wall/saves"))
  const [first, second] = saves.map((save) => String(Object(save)["saveId"]))
  const own = `/console/p/${project}`
  const room = `${own}/rooms/wall`
  const hostile = encodeURIComponent(markup)
  return {
    player,
    addresses: [
      `${own}/deployments?version=2`,
      room,
      `${own}/rooms/${hostile}`,
      `${room}/saves?save=${first}`,
      `${room}/saves?save=${first}&with=${second}`,
      `${own}/rooms/${hostile}/saves`,
      `${own}/players?player=${hostile}`,
      `${own}/queues?queue=default`,
      `${own}/boards?board=kills`,
      `${own}/nothing`
    ]
  }
}

/** Asks the service about the project. Throws for a refusal. */
const sending =
  ({ url, token, project }: Service) =>
  async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const answer = await call(url, `/v1/projects/${project}${path}`, {
      token,
      method,
      ...(body === undefined ? {} : { body })
    })
    if (answer.status < 300) return answer.body
    throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
  }

/** What the pages beside those of rooms show. */
const fillNouns = async (service: Service, client: Client, identity: string): Promise<void> => {
  const send = sending(service)
  const { url, token, project } = service
  await send("POST", "/keys", { scopes: ["rooms:read"], label: tags })
  const value = { note: markup }
  await send("PUT", `/players/${encodeURIComponent(markup)}/kv/entry`, { key: "purse", value })
  await send("POST", "/rooms/wall/clips", {})
  const scores = await client.joinOrCreate(scorer, { roomId: "scores" })
  await scores.request("submit", { board: "kills", player: markup, score: 7 })
  await scores.leave()
  const waits = await call(url, "/match", { body: { project, identity, waitMs: 120_000 } })
  const invited = await call(url, "/v1/me/invitations", { token, body: { name: tags } })
  if (waits.status >= 300 || invited.status >= 300) {
    throw new Error(JSON.stringify([waits, invited]))
  }
}
