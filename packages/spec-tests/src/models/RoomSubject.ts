import { brought, Mismatch, same } from "../check/Expect.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import { JoinRefused, type RoomSocket } from "../trial/RoomSocket.ts"
import { type RoomStage, roomStage } from "../trial/RoomStage.ts"
import { CallRefused } from "../trial/SocketError.ts"
import type { Trial } from "../trial/Trial.ts"
import { Abandoned, type Answer, indefinite, type Subject } from "./Machine.ts"
import { outcomeText } from "./OutcomeText.ts"
import type { RoomDeed, RoomName, RoomView, RoomViews } from "./RoomModel.ts"

type Fields = Readonly<Record<string, unknown>>

const takesEffectWithinMs = 10_000
const noSave = "sv_0000000000000000"

/** Two rooms of the fixture `probe` in a new project, and clients in them. */
export class RoomSubject implements Subject<RoomDeed, RoomViews> {
  readonly #trial: Trial
  readonly #stage: RoomStage
  readonly #clients: Readonly<Record<RoomName, Array<RoomSocket>>> = { arena: [], lobby: [] }

  private constructor(trial: Trial, stage: RoomStage) {
    this.#trial = trial
    this.#stage = stage
  }

  static async start(trial: Trial): Promise<RoomSubject> {
    return new RoomSubject(trial, await roomStage(trial))
  }

  async perform(deed: RoomDeed): Promise<Answer> {
    const { room } = deed
    switch (deed.kind) {
      case "join":
        return this.#join(room)
      case "add":
        return valueText(await this.#client(room).call("addDurably", { by: 1 }))
      case "save":
        await this.#client(room).call("save")
        return "ok"
      case "start":
        await this.#client(room).call("setStarted", { started: true })
        return "ok"
      case "leave":
        return this.#leave(room)
      case "patch":
        return this.#text(await this.#stage.patch(room, deed.body))
      case "delete":
        return this.#delete(room, deed.force)
      case "restore":
        return this.#restore(room, deed.at)
      case "kill":
        return this.#kill(room)
      case "deploy":
        await this.#stage.deploy("probe")
        return "ok"
    }
  }

  async view(): Promise<RoomViews> {
    const [rows, awake, lobby] = await Promise.all([
      this.#stage.rows(),
      this.#stage.roomIds("?active=true"),
      this.#lobby()
    ])
    const of = (name: RoomName): Promise<RoomView | null> => {
      const row = rows.find(({ roomId }) => roomId === name)
      return this.#roomView(name, { row, awake: awake.includes(name), lobby })
    }
    const [arena, lobbyRoom] = await Promise.all([of("arena"), of("lobby")])
    return { arena, lobby: lobbyRoom }
  }

  async #roomView(
    room: RoomName,
    {
      row,
      awake,
      lobby
    }: {
      readonly row: Fields | undefined
      readonly awake: boolean
      readonly lobby: ReadonlyArray<string>
    }
  ): Promise<RoomView | null> {
    const detail = await this.#stage.ask(`/${room}`)
    same(`${room} is in the list and is read`, row !== undefined, detail.status === 200)
    if (row === undefined) {
      same(`the saves of ${room}`, (await this.#stage.ask(`/${room}/saves`)).status, 404)
      return null
    }
    const { retentionOverride, saves }: Fields = Object(detail.json)
    same(`the override of ${room} in the list`, row["retentionOverride"], retentionOverride)
    same(`the saves of ${room} that are counted`, saves, (await this.#stage.saves(room)).length)
    const values = await Promise.all(this.#clients[room].map((client) => client.call("read")))
    const read = new Set(values.map((state) => Number(Object(state)["value"])))
    if (read.size > 1) {
      throw new Mismatch(`what clients of ${room} read`, { expected: "one", actual: [...read] })
    }
    return {
      awake,
      saves: Number(saves),
      value: [...read][0] ?? null,
      override: typeof retentionOverride === "string" ? retentionOverride : null,
      listed: awake ? lobby.includes(room) : null
    }
  }

  async #lobby(): Promise<ReadonlyArray<string>> {
    const path = this.#trial.codecs.lobbyPath(this.#stage.project.id)
    const answer = await this.#trial.send({ method: "GET", path })
    return brought("the registry", answer, this.#trial.codecs.lobbyRooms(answer.json))
  }

  async #join(room: RoomName): Promise<Answer> {
    const socket = await this.#stage.socket(room)
    try {
      await socket.join()
      const answer = valueText(await socket.call("read"))
      this.#clients[room].push(socket)
      return answer
    } catch (cause) {
      // Sent away while it came in: it was in the room, or it was not.
      if (!(cause instanceof JoinRefused || cause instanceof CallRefused)) throw cause
      const closed = await socket.end()
      return closed.code === 4291 ? indefinite : `closed with ${closed.code} ${cause.code}`
    }
  }

  async #leave(room: RoomName): Promise<Answer> {
    await this.#clients[room].pop()?.leave()
    if (this.#clients[room].length === 0) await this.#stage.asleep(room)
    return "ok"
  }

  async #delete(room: RoomName, force: boolean): Promise<Answer> {
    const answer = await this.#stage.remove(room, force ? "?force=true" : "")
    if (answer.status < 300) await this.#sentAway(room, force ? [4291] : [])
    return this.#text(answer)
  }

  /** With these codes, all that were in the room. */
  async #sentAway(room: RoomName, codes: ReadonlyArray<number>): Promise<void> {
    const clients = this.#clients[room].splice(0)
    for (const client of clients) {
      const { code } = await client.end()
      if (codes.length > 0) same(`how clients of ${room} are closed`, [code], codes)
    }
  }

  async #restore(room: RoomName, at: number | null): Promise<Answer> {
    const listed = await this.#stage.ask(`/${room}/saves`)
    const before = listed.status === 200 ? await this.#stage.saves(room) : []
    const saveId = at === null ? noSave : (before[at] ?? noSave)
    const answer = await this.#stage.restore(room, saveId)
    if (answer.status >= 300) return this.#text(answer)
    const played = (["arena", "lobby"] as const).filter((each) => this.#clients[each].length > 0)
    for (const each of played) await this.#sentAway(each, [])
    const deadline = performance.now() + takesEffectWithinMs * this.#trial.patience
    while ((await this.#stage.saves(room))[0] === before[0]) {
      if (performance.now() > deadline) this.#noGeneration()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    // The generation is listed a moment before the room itself is asleep again.
    for (const each of new Set([room, ...played])) await this.#stage.asleep(each)
    return this.#text(answer)
  }

  /** By a new generation one sees that a restore has taken effect. */
  #noGeneration(): never {
    this.#trial.chosen("D-48", () => {
      throw new Mismatch("a restore", { expected: "a generation more", actual: "none" })
    })
    throw new Abandoned()
  }

  /** Clients come back to what was stored, on the same connection or on a new one. */
  async #kill(room: RoomName): Promise<Answer> {
    const { id } = this.#stage.project
    for (const server of await this.#trial.control.servers(id)) {
      await this.#trial.control.server("kill", server.id)
    }
    for (const name of ["arena", "lobby"] as const) {
      const count = this.#clients[name].length
      for (const client of this.#clients[name].splice(0)) client.drop()
      for (let back = 0; back < count; back++) await this.#back(name)
    }
    return valueText(await this.#client(room).call("read"))
  }

  async #back(room: RoomName): Promise<void> {
    await this.#trial.until(`a client is back in ${room}`, async () =>
      typeof (await this.#join(room).catch(() => indefinite)) === "string" &&
      this.#clients[room].length > 0
        ? true
        : null
    )
  }

  #client(room: RoomName): RoomSocket {
    const client = this.#clients[room].at(-1)
    if (client === undefined) {
      throw new Mismatch(`clients of ${room}`, { expected: "one", actual: "none" })
    }
    return client
  }

  #text(answer: HttpAnswer): Answer {
    return outcomeText(this.#trial, answer)
  }
}

const valueText = (state: unknown): string => `value ${String(Object(state)["value"])}`
