import { brought, Mismatch } from "../check/Expect.ts"
import type { Welcomed } from "../codec/RoomCodec.ts"
import type { FixtureName } from "./FixtureProbe.ts"
import type { HttpAnswer } from "./HttpProbe.ts"
import type { Project, ProjectRequest } from "./Project.ts"
import { type Hello, JoinRefused, type RoomSocket } from "./RoomSocket.ts"
import type { Trial } from "./Trial.ts"

type Fields = Readonly<Record<string, unknown>>

/** The answer of the fixtures to `read`. */
export interface ProbeState {
  readonly value: number
  /** How often the room's state began from nothing. */
  readonly created: number
  readonly alarms: number
  readonly version: number
  readonly nowMs: number
  readonly clients: number
}

/** A project of its own with a fixture deployed, and its rooms over HTTP and as a client. */
export class RoomStage {
  readonly project: Project
  readonly #trial: Trial

  constructor(trial: Trial, project: Project) {
    this.#trial = trial
    this.project = project
  }

  /** Of the run: how many times longer anything may take. */
  get patience(): number {
    return this.#trial.patience
  }

  deploy(fixture: FixtureName): Promise<void> {
    return this.#trial.fixtures.deploy(this.project, fixture)
  }

  socket(room: string): Promise<RoomSocket> {
    return this.#trial.socket({ project: this.project, room })
  }

  /** A client in the room, which is made if there is none; of the type `probe` unless said. */
  async client(room: string, hello?: Hello): Promise<RoomSocket> {
    const socket = await this.socket(room)
    await socket.join(hello)
    return socket
  }

  /** A client that comes back to a room that is being restarted, as often as it is told to wait. */
  rejoin(room: string, hello?: Hello): Promise<RoomSocket> {
    return this.#trial.until(`${room} can be joined again`, () =>
      this.client(room, hello).catch((cause: unknown) => {
        if (cause instanceof JoinRefused) return null
        throw cause
      })
    )
  }

  ask(path: string, request?: ProjectRequest): Promise<HttpAnswer> {
    return this.project.ask(`/rooms${path}`, request)
  }

  patch(room: string, body: unknown): Promise<HttpAnswer> {
    return this.ask(`/${room}`, { method: "PATCH", body })
  }

  remove(room: string, query = ""): Promise<HttpAnswer> {
    return this.ask(`/${room}${query}`, { method: "DELETE" })
  }

  /** A mismatch when it cannot be read. */
  async detail(room: string): Promise<Fields> {
    return objectOf(await this.ask(`/${room}`))
  }

  async rows(query = ""): Promise<ReadonlyArray<Fields>> {
    return arrayOf(await this.ask(query))
  }

  async roomIds(query = ""): Promise<ReadonlyArray<unknown>> {
    return (await this.rows(query)).map(({ roomId }) => roomId)
  }

  async row(room: string): Promise<Fields | undefined> {
    return (await this.rows()).find(({ roomId }) => roomId === room)
  }

  /** Ids of the generations, as they are listed. */
  async saves(room: string): Promise<ReadonlyArray<string>> {
    const answer = await this.ask(`/${room}/saves`)
    return arrayOf(answer).map((item) =>
      brought("the id of a save", answer, this.#trial.codecs.saveId(item))
    )
  }

  bytes(room: string, saveId: string): Promise<HttpAnswer> {
    return this.ask(`/${room}/saves/${saveId}/bytes`)
  }

  restore(room: string, saveId: string): Promise<HttpAnswer> {
    const body = this.#trial.codecs.restoreBody(saveId)
    return this.ask(`/${room}/restore`, { method: "POST", body })
  }

  /** Until the room that its clients have left is asleep: the fixtures sleep within a second. */
  async asleep(room: string): Promise<Fields> {
    return this.#trial.until(`${room} is asleep`, async () => {
      const row = await this.row(room)
      return row !== undefined && row["status"] === "hibernated" ? row : null
    })
  }

  /** Until the room is in the list with so many clients; reports come every few seconds. */
  async counted(room: string, clients: number): Promise<Fields> {
    return this.#trial.until(`${room} has ${clients} clients`, async () => {
      const row = await this.row(room)
      return row !== undefined && row["clients"] === clients ? row : null
    })
  }

  /** A room that has been played, holds `value`, and sleeps. */
  async played(room: string, value = 1, hello?: Hello): Promise<Fields> {
    const client = await this.client(room, hello)
    await client.call("addDurably", { by: value })
    await client.leave()
    return this.asleep(room)
  }
}

/** A stage with a fixture. */
export const roomStage = async (
  trial: Trial,
  fixture: FixtureName = "probe"
): Promise<RoomStage> => {
  const stage = new RoomStage(trial, await trial.project())
  await stage.deploy(fixture)
  return stage
}

/** A check's run on a stage with the fixture `probe`. */
export const withRooms =
  (run: (stage: RoomStage, trial: Trial) => Promise<void>) =>
  async (trial: Trial): Promise<void> =>
    run(await roomStage(trial), trial)

/** The contents of a fixture's room. */
export const stateOf = async (client: RoomSocket): Promise<ProbeState> => {
  const { value, created, alarms, version, nowMs, clients } = Object(await client.call("read"))
  return { value, created, alarms, version, nowMs, clients }
}

const backWithinMs = 10_000

/**
 * The client after its room was started again: on the same connection with another welcome, or, when
 * that was closed, on a new one. `before` is what it was welcomed with.
 */
export const backAfter = async (
  stage: RoomStage,
  left: { readonly client: RoomSocket; readonly room: string; readonly before: Welcomed }
): Promise<RoomSocket> => {
  const { client, room, before } = left
  for (
    const deadline = performance.now() + backWithinMs * stage.patience;
    performance.now() < deadline;
  ) {
    if (!client.isOpen()) return stage.rejoin(room)
    if (client.welcomes().at(-1) !== before) return client
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Mismatch(`the start of ${room} after its end`, {
    expected: "another welcome or a close",
    actual: "neither"
  })
}

const objectOf = (answer: HttpAnswer): Fields => {
  const isObject = answer.status === 200 && typeof answer.json === "object"
  return Object(
    brought(`an object of ${answer.request.path}`, answer, isObject ? answer.json : null)
  )
}

export const arrayOf = (answer: HttpAnswer): ReadonlyArray<Fields> => {
  const isList = answer.status === 200 && Array.isArray(answer.json)
  return brought(
    `a list of ${answer.request.path}`,
    answer,
    isList ? Array.from(answer.json) : null
  )
}
