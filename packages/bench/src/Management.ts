import { Agent, request } from "node:http"

import type { BenchService } from "@atrium/api/testing/load/Servers"
import { upTo } from "@atrium/api/testing/load/Tasks"
import { onDatabase } from "@atrium/api/testing/onDatabase"
import { call } from "@atrium/api/testing/RunningService"

import type { Bench } from "./Bench.ts"
import { atLeast, atMost, type Figure, type Measured, type Reference } from "./Figure.ts"
import { cpuByRoleOf, cpuSecondsOf, untilQuiet } from "./ProcessCost.ts"
import { databaseOf } from "./ServiceDatabase.ts"

export interface ManagementSize {
  /** Rooms of the short and of the long list. */
  readonly fewRooms: number
  readonly manyRooms: number
  /** Connections that ask for one room after another. */
  readonly readers: number
  /** Lists of a round. */
  readonly lists: number
  readonly rounds: number
  readonly seconds: number
}

interface Target {
  readonly port: number
  readonly path: string
  readonly key: string
}

const keepAlive = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/** One GET, its body read to the end. @returns the status */
const get = ({ port, path, key }: Target): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    request({ host: "127.0.0.1", port, path, headers, agent: keepAlive }, (answer) => {
      answer.on("end", () => resolve(answer.statusCode ?? 0)).resume()
    })
      .on("error", reject)
      .end()
  })

/** Reads rooms as fast as so many connections can. @returns reads per second */
const readRate = async (
  target: (room: number) => Target,
  { readers, seconds }: ManagementSize
): Promise<number> => {
  const startedAtMs = performance.now()
  const endsAtMs = startedAtMs + seconds * 1000
  let reads = 0
  const reader = async (): Promise<void> => {
    while (performance.now() < endsAtMs) {
      if ((await get(target(reads++))) !== 200) throw new Error("a room could not be read")
    }
  }
  await Promise.all(upTo(readers).map(reader))
  return (reads * 1000) / (performance.now() - startedAtMs)
}

/** CPU milliseconds of one list. */
const listCost = async (cpuSeconds: () => number, target: Target, lists: number) => {
  const before = cpuSeconds()
  for (let list = 0; list < lists; list++) {
    if ((await get(target)) !== 200) throw new Error("the rooms could not be listed")
  }
  return ((cpuSeconds() - before) * 1000) / lists
}

/** A project with so many sleeping rooms, and a key that reads them. */
const projectWith = async (service: BenchService, rooms: number) => {
  const { url, token } = service
  const made = await call(url, "/v1/projects", { token, body: { name: `${rooms} rooms` } })
  const project = String(made.body["id"])
  const minted = await call(url, `/v1/projects/${project}/keys`, {
    token,
    body: { scopes: ["rooms:read"], label: "bench" }
  })
  const database = databaseOf(service)
  // Rows as young as the service's own, so that no sweep or window looks at them.
  const nowMs = Date.now()
  await onDatabase(
    database,
    (sql) => sql`
      with named as (
        select 'r' || number as room_id, number from generate_series(0, ${rooms - 1}::integer) number
      ), stored as (
        insert into objects (key, bytes, manifest, stored_at_ms)
        select 'rooms/' || ${project} || '/' || room_id || '/snapshot/0000000001', 'state'::bytea,
          '{"kind":"snapshot","type":"nap","class":"standard","version":1,"schemaHash":"0",
            "epoch":1,"reason":null,"takenAtMs":1,"stateBytes":5}', ${nowMs}
        from named
      )
      insert into rooms (project_id, room_id, state, status, type, class, epoch, slot, clients,
        max_clients, is_public, started, last_seen_ms)
      select ${project}, room_id, '{"_tag":"Hibernated","type":"nap"}', 'hibernated', 'nap',
        'standard', 1, 0, 0, 64, false, false, ${nowMs} - number
      from named`
  )
  await onDatabase(database, (sql) => sql`vacuum analyze rooms`)
  await onDatabase(database, (sql) => sql`vacuum analyze objects`)
  const key = String(minted.body["secret"])
  const path = `/v1/projects/${project}/rooms`
  const room = (number: number): Target => ({
    port: service.port,
    key,
    path: `${path}/r${number % rooms}`
  })
  return { project, key, list: { port: service.port, path, key }, room }
}

interface Rates {
  readonly many: Array<number>
  readonly few: Array<number>
  readonly bare: Array<number>
  readonly three: Array<number>
}

interface ListCosts {
  readonly many: Array<number>
  readonly few: Array<number>
  readonly memory: Array<number>
  readonly bare: Array<number>
}

/** W6: the management API, beside the least that node:http and PostgreSQL do. */
export const management = async (bench: Bench, size: ManagementSize): Promise<Measured> => {
  const service = await bench.service()
  const few = await projectWith(service, size.fewRooms)
  const many = await projectWith(service, size.manyRooms)
  const reference = bench.servers.child(import.meta.resolve("./HttpReferenceChild.ts"), [
    databaseOf(service),
    many.project,
    String(size.manyRooms)
  ])
  const port = Number(await reference.line())
  const readers = {
    few: few.room,
    many: many.room,
    bare: (room: number) => ({ ...many.room(room), port }),
    three: (room: number) => ({ port, key: many.key, path: `${many.room(room).path}?three` })
  }
  const names = ["bare", "three", "many", "few"] as const
  const rates: Rates = { many: [], few: [], bare: [], three: [] }
  for (const name of names) await readRate(readers[name], size)
  for (let round = 1; round <= size.rounds; round++) {
    bench.progress(`W6: single reads, round ${round} of ${size.rounds}`)
    for (const name of names) rates[name].push(await readRate(readers[name], size))
  }
  // PostgreSQL works for the reference as a part of the service's tree.
  const ofBare = () => cpuSecondsOf(reference.pid) + cpuByRoleOf(service.pid).database
  const listers = {
    many: { cpu: () => cpuSecondsOf(service.pid), target: many.list },
    few: { cpu: () => cpuSecondsOf(service.pid), target: few.list },
    memory: { cpu: () => cpuSecondsOf(reference.pid), target: { ...many.list, port } },
    bare: { cpu: ofBare, target: { port, key: many.key, path: `${many.list.path}?bare` } }
  }
  const costs: ListCosts = { many: [], few: [], memory: [], bare: [] }
  for (let round = 0; round <= size.rounds; round++) {
    bench.progress(`W6: lists of ${size.manyRooms} rooms, round ${round} of ${size.rounds}`)
    for (const name of ["bare", "memory", "many", "few"] as const) {
      const { cpu, target } = listers[name]
      await untilQuiet(service.pid)
      const cost = await listCost(cpu, target, round === 0 ? 1 : size.lists)
      // The first lists only warm the code up.
      if (round > 0) costs[name].push(cost)
    }
  }
  keepAlive.destroy()
  return {
    workload: "W6",
    figures: [...readFigures(rates), ...listFigures(costs, size)],
    faults: [],
    notes: [
      `reads: ${size.readers} connections; the reference is one statement for key, row and objects`,
      `lists: ${size.manyRooms} and ${size.fewRooms} rooms; rounds: ${size.rounds}`
    ]
  }
}

const besideBare = (rounds: ReadonlyArray<number>): Reference => ({
  name: "node:http and pg",
  rounds,
  weakness: null
})

const readFigures = ({ many, few, bare, three }: Rates): ReadonlyArray<Figure> => {
  const row = (name: string, rounds: ReadonlyArray<number>, reference: Reference): Figure => ({
    name,
    unit: "/s",
    rounds,
    reference,
    goal: null
  })
  const old: Reference = {
    name: "node:http and three queries",
    rounds: three,
    weakness: "Effect's client, three queries"
  }
  return [
    row("single reads", many, old),
    row("the same with few rooms", few, old),
    { ...row("single reads, beside pg", many, besideBare(bare)), goal: atLeast(0.6, "ratio") },
    {
      name: "reads with many rooms, of those with few",
      unit: "x",
      rounds: many.map((rate, round) => rate / (few[round] ?? Number.NaN)),
      reference: null,
      goal: atLeast(0.9, "value")
    }
  ]
}

const listFigures = (
  { many, few, memory, bare }: ListCosts,
  { manyRooms, fewRooms }: ManagementSize
): ReadonlyArray<Figure> => [
  {
    name: "CPU of a long list",
    unit: "ms",
    rounds: many,
    reference: { name: "an array in memory", rounds: memory, weakness: null },
    goal: atMost(2.5, "ratio")
  },
  {
    name: "CPU of a long list, beside pg",
    unit: "ms",
    rounds: many,
    reference: besideBare(bare),
    goal: null
  },
  {
    name: "CPU of a room in a long list, of one in a short",
    unit: "x",
    rounds: many.map((ms, round) => ms / manyRooms / ((few[round] ?? Number.NaN) / fewRooms)),
    reference: null,
    goal: atMost(1.2, "value")
  }
]
