import { Chance } from "@atrium/api/testing/Chance"
import { eachOf, sleep, upTo } from "@atrium/api/testing/load/Tasks"
import { onDatabase } from "@atrium/api/testing/onDatabase"
import { roomProcessesOf, signalAll } from "@atrium/api/testing/ProcessTree"
import {
  beginRehearsal,
  call,
  makeHome,
  type RunningService,
  type ServiceHome,
  uploadBundle
} from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"

import { textOf, VersionReference } from "./RoomReference.ts"
import { type PlannedVersion, planVersions } from "./VersionPlan.ts"
import { playRooms, type VersionTally } from "./VersionPlayer.ts"
import { type VersionPlace, VersionRoom, VersionSeat } from "./VersionRooms.ts"
import { versionBundles } from "./VersionSource.ts"

interface VersionsOptions {
  readonly seed: number
  readonly versions: number
  readonly rooms: number
  /** Rooms that are up with a player in, at most. */
  readonly players: number
  say(line: string): void
}

/** Things that are killed while a version is deployed. */
const kills = ["room", "database", "service"] as const
type Kill = (typeof kills)[number]

/** Rooms in which somebody has played from the first version on; the others begin as copies of them. */
const playedRooms = 20
const deployWithinMs = 300_000
const wakesAtOnce = 8
/** Rooms that are compared between two lines of progress. */
const toldEvery = 100

interface VersionsResult extends VersionTally {
  readonly kills: Readonly<Record<Kill, number>>
  /** Rooms whose state was compared at the end. */
  readonly compared: number
  readonly seconds: number
}

/** A service whose versions are deployed, and killed meanwhile. */
class Versions {
  readonly reference: VersionReference
  readonly place: VersionPlace
  readonly tally: VersionTally = {
    plays: 0,
    answered: 0,
    quarantined: 0,
    refusals: new Map(),
    violations: []
  }
  readonly killed: Record<Kill, number> = { room: 0, database: 0, service: 0 }
  readonly #home: ServiceHome
  readonly #bundles: Awaited<ReturnType<typeof versionBundles>>
  #service: RunningService
  #deployed = { least: 0, most: 0 }

  private constructor(
    plan: ReadonlyArray<PlannedVersion>,
    {
      home,
      service,
      project,
      bundles
    }: {
      readonly home: ServiceHome
      readonly service: RunningService
      readonly project: string
      readonly bundles: Awaited<ReturnType<typeof versionBundles>>
    }
  ) {
    this.reference = new VersionReference(plan)
    this.#home = home
    this.#service = service
    this.#bundles = bundles
    this.place = {
      project,
      url: () => this.#service.url,
      deployed: () => this.#deployed,
      whyClosed: (roomId) => this.#logOf(roomId)
    }
  }

  static async start(plan: ReadonlyArray<PlannedVersion>): Promise<Versions> {
    const home = await makeHome()
    const service = await home.start()
    const named = { token: service.token, body: { name: "versions" } }
    const { body } = await call(service.url, "/v1/projects", named)
    const bundles = await versionBundles(plan)
    return new Versions(plan, { home, service, project: String(body["id"]), bundles })
  }

  /** Deploys a version; a service or a database that is away meanwhile is asked again. */
  async deploy(planned: PlannedVersion): Promise<void> {
    const { version, breaking, strategy } = planned
    const bundle = await this.#bundles.of(planned)
    this.#deployed = { ...this.#deployed, most: version }
    const quarantine = this.reference.quarantines(version) ? "&quarantine=true" : ""
    const query = `?strategy=${strategy}${breaking ? `&allowBreaking=true${quarantine}` : ""}`
    let refusal: unknown = null
    let rehearsed = !breaking
    const deployed = async (): Promise<boolean> => {
      const { url, token } = this.#service
      const target = { url, token, project: this.place.project }
      rehearsed ||= await this.#rehearse(bundle)
      if (!rehearsed) return false
      const { status, body } = await uploadBundle(target, bundle, query)
      refusal = { status, body }
      if (status === 409 || status === 400) throw new Error(JSON.stringify(refusal))
      return body["version"] === version
    }
    const tried = () =>
      deployed().catch((error: unknown) => {
        if (!(error instanceof TypeError)) throw error
        refusal = error
        return false
      })
    await until(`version ${version} is deployed`, tried, deployWithinMs).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(refusal)}`)
    })
    this.#deployed = { least: version, most: version }
  }

  /** Rehearses as `atrium deploy` does before it uploads; `false` = it did not come to its end. */
  async #rehearse(bundle: Uint8Array): Promise<boolean> {
    const { url, token } = this.#service
    const { project } = this.place
    const { status, body } = await beginRehearsal({ url, token, project }, bundle)
    if (status !== 201) return false
    const path = `/v1/projects/${project}/rehearsals/${String(body["rehearsalId"])}`
    for (;;) {
      const { body: seen } = await call(url, path, { token })
      if (seen["state"] !== "running")
        return seen["state"] === "passed" || seen["state"] === "failed"
      await sleep(200)
    }
  }

  /** Adds rooms that have the rows and the objects of one that sleeps. */
  async copy(from: string, to: ReadonlyArray<string>): Promise<void> {
    const { project } = this.place
    await onDatabase(
      this.#service.databaseUrl,
      (sql) => sql`
        insert into objects (key, bytes, manifest, stored_at_ms)
        select replace(key, ${`/${from}/`}, '/' || id || '/'), bytes, manifest, stored_at_ms
        from objects, unnest(${[...to]}::text[]) id
        where key like ${`rooms/${project}/${from}/%`}`
    )
    await onDatabase(
      this.#service.databaseUrl,
      (sql) => sql`
        insert into rooms
        select (jsonb_populate_record(room, jsonb_build_object('room_id', id))).*
        from rooms room, unnest(${[...to]}::text[]) id
        where room.project_id = ${project} and room.room_id = ${from}`
    )
  }

  async asleep(roomId: string): Promise<void> {
    await until(`${roomId} sleeps`, async () => {
      const { url, token } = this.#service
      const path = `/v1/projects/${this.place.project}/rooms/${roomId}`
      const { body } = await call(url, path, { token })
      return body["status"] === "hibernated"
    })
  }

  async #logOf(roomId: string): Promise<string> {
    const { url, token } = this.#service
    const path = `/v1/projects/${this.place.project}/logs?room=${roomId}&limit=20`
    const { body } = await call(url, path, { token })
    return JSON.stringify(body).slice(-1000)
  }

  async kill(kind: Kill, chance: Chance): Promise<void> {
    this.killed[kind]++
    switch (kind) {
      case "room": {
        const up = roomProcessesOf(this.#service.pid)
        if (up.length > 0) signalAll([chance.pick(up)], "SIGKILL")
        return
      }
      case "database":
        await onDatabase(
          this.#service.databaseUrl,
          (sql) => sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()`
        )
        return
      case "service":
        await this.#service.stop("SIGKILL")
        this.#service = await this.#home.start()
    }
  }

  async end(): Promise<void> {
    await this.#service.stop()
    await this.#home.remove()
    await this.#bundles.remove()
  }
}

/** Plays in some rooms of the first version, and makes the others as copies of them. */
const makeRooms = async (
  versions: Versions,
  count: number
): Promise<ReadonlyArray<VersionRoom>> => {
  const { place, reference } = versions
  const ids = upTo(count).map((at) => `room-${at}`)
  const played = await eachOf(ids.slice(0, playedRooms), 4, async (roomId, at) => {
    const room = new VersionRoom(roomId, reference)
    const seat = await VersionSeat.join(place, roomId, "game")
    if (typeof seat === "string") throw new Error(seat)
    for (let left = 0; left <= at; left++) {
      const n = room.nextPlay()
      const [expected] = room.mayHave(n, 1, place.deployed())
      const answer = await seat.ask("play", n)
      if (answer === null || expected === undefined || textOf(answer) !== textOf(expected)) {
        throw new Error(
          `${roomId} has ${JSON.stringify(answer)} and not ${JSON.stringify(expected)}`
        )
      }
      room.has(expected)
    }
    await seat.leave()
    await versions.asleep(roomId)
    return room
  })
  const all = [...played]
  for (const [at, room] of played.entries()) {
    const copies = ids.slice(playedRooms).filter((_, place) => place % playedRooms === at)
    await versions.copy(room.roomId, copies)
    all.push(...copies.map((id) => new VersionRoom(id, reference, room)))
  }
  return all
}

/** Wakes a room on the last version, in which every migration is mended, and compares its state. */
const compare = async (room: VersionRoom, { place, tally }: Versions): Promise<void> => {
  const read = async () => {
    const seat = await VersionSeat.join(place, room.roomId).catch(String)
    if (typeof seat === "string") {
      const isPassing = !seat.includes("E_ROOM_CRASHED") && !seat.includes("E_ROOM_NOT_FOUND")
      return isPassing ? null : { refused: seat }
    }
    const state = await seat.ask("read")
    void seat.leave()
    return state
  }
  const found = await until(`${room.roomId} wakes`, read, 60_000)
  const expected = room.on(place.deployed().least, place.deployed()).map(textOf)
  if (!("refused" in found) && expected.includes(textOf(found))) return
  const text = "refused" in found ? found.refused : textOf(found)
  tally.violations.push(`${room.roomId} wakes with ${text} and not ${expected.join(" or ")}`)
}

/**
 * Deploys random versions over stored rooms while players are in some of them and things are killed. In the end every
 * room has to wake with the state that a reference in plain values says.
 */
export const runVersions = async (options: VersionsOptions): Promise<VersionsResult> => {
  const { seed, say } = options
  const beganMs = performance.now()
  const seconds = (): number => Math.round((performance.now() - beganMs) / 1000)
  const plan = planVersions(seed, options.versions)
  const versions = await Versions.start(plan)
  const { tally, place } = versions
  try {
    const [first, ...later] = plan
    if (first === undefined) throw new Error("no version is planned")
    await versions.deploy(first)
    const rooms = await makeRooms(versions, options.rooms)
    say(`${rooms.length} rooms after ${seconds()} s`)
    let over = false
    let told = 0
    const free = new Set(rooms)
    const players = upTo(options.players).map((at) =>
      playRooms(place, free, {
        chance: Chance.of(seed, "player", at),
        tally,
        isOver: () => over
      })
    )
    for (const planned of later) {
      const chance = Chance.of(seed, "kills", planned.version)
      const kind = chance.one(4) ? null : chance.pick(kills)
      const deploying = versions.deploy(planned)
      deploying.catch(() => undefined)
      await sleep(chance.below(2000))
      if (kind !== null) await versions.kill(kind, chance)
      await deploying
      const how = planned.breaking ? "breaking" : "plain"
      say(`version ${planned.version}: ${how}, ${kind ?? "nothing"} killed, after ${seconds()} s`)
      for (const violation of tally.violations.slice(told)) say(`VIOLATION ${violation}`)
      told = tally.violations.length
    }
    over = true
    await Promise.all(players)
    let compared = 0
    await eachOf(rooms, wakesAtOnce, async (room) => {
      await compare(room, versions)
      if (++compared % toldEvery === 0) say(`${compared} rooms compared after ${seconds()} s`)
    })
    return { ...tally, kills: versions.killed, compared, seconds: seconds() }
  } finally {
    await versions.end()
  }
}
