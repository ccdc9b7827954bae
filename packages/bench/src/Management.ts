import { Agent, request } from "node:http"

import type { BenchService } from "@atrium/api/testing/load/Servers"
import { median } from "@atrium/api/testing/load/Statistics"
import { upTo } from "@atrium/api/testing/load/Tasks"
import { onDatabase } from "@atrium/api/testing/onDatabase"
import { call } from "@atrium/api/testing/RunningService"

import type { Bench } from "./Bench.ts"
import { atLeast, atMost, type Measured } from "./Figure.ts"
import { cpuSecondsOf, untilQuiet } from "./ProcessCost.ts"
import { databaseOf } from "./ServiceDatabase.ts"

export interface ManagementSize {
  /** Rooms of the short and of the long list. */
  readonly fewRooms: number
  readonly manyRooms: number
  /** Connections that ask for one room after another. */
  readonly readers: number
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

/** CPU milliseconds of a process tree for one list. */
const listCost = async (pid: number, target: Target, lists: number): Promise<number> => {
  await get(target)
  await untilQuiet(pid)
  const before = cpuSecondsOf(pid)
  for (let list = 0; list < lists; list++) {
    if ((await get(target)) !== 200) throw new Error("the rooms could not be listed")
  }
  return ((cpuSecondsOf(pid) - before) * 1000) / lists
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
  await onDatabase(
    database,
    (sql) => sql`
      with named as (
        select 'r' || number as room_id, number from generate_series(0, ${rooms - 1}::integer) number
      ), stored as (
        insert into objects (key, bytes, manifest, stored_at_ms)
        select 'rooms/' || ${project} || '/' || room_id || '/snapshot/0000000001', 'state'::bytea,
          '{"kind":"snapshot","type":"nap","class":"standard","version":1,"schemaHash":"0",
            "epoch":1,"reason":null,"takenAtMs":1,"stateBytes":5}', ${Date.now()}
        from named
      )
      insert into rooms (project_id, room_id, state, status, type, class, epoch, slot, clients,
        max_clients, is_public, started, last_seen_ms)
      select ${project}, room_id, '{"_tag":"Hibernated","type":"nap"}', 'hibernated', 'nap',
        'standard', 1, 0, 0, 64, false, false, ${Date.now()} - number
      from named`
  )
  await onDatabase(database, (sql) => sql`vacuum analyze rooms`)
  await onDatabase(database, (sql) => sql`vacuum analyze objects`)
  const key = String(minted.body["secret"])
  const path = `/v1/projects/${project}/rooms`
  const room = (number: number): Target => ({
    ...{ port: service.port, key },
    path: `${path}/r${number % rooms}`
  })
  return { project, key, list: { port: service.port, path, key }, room }
}

/** W6: the management API, beside the least that node:http and PostgreSQL do. */
export const management = async (bench: Bench, size: ManagementSize): Promise<Measured> => {
  const service = await bench.servers.service()
  const few = await projectWith(service, size.fewRooms)
  const many = await projectWith(service, size.manyRooms)
  const reference = bench.servers.child(import.meta.resolve("./HttpReferenceChild.ts"), [
    ...[databaseOf(service), many.project, String(size.manyRooms)]
  ])
  const port = Number(await reference.line())
  const raw = (number: number): Target => ({ ...many.room(number), port })
  const rates = { few: new Array<number>(), many: new Array<number>(), raw: new Array<number>() }
  for (const target of [few.room, many.room, raw]) await readRate(target, size)
  for (let round = 1; round <= size.rounds; round++) {
    bench.progress(`W6: single reads, round ${round} of ${size.rounds}`)
    rates.raw.push(await readRate(raw, size))
    rates.many.push(await readRate(many.room, size))
    rates.few.push(await readRate(few.room, size))
  }
  bench.progress(`W6: lists of ${size.manyRooms} rooms`)
  const longList = await listCost(service.pid, many.list, size.lists)
  const shortList = await listCost(service.pid, few.list, size.lists)
  const rawList = await listCost(reference.pid, { ...many.list, port }, size.lists)
  keepAlive.destroy()
  return {
    workload: "W6",
    figures: [
      {
        ...{ name: "single reads", unit: "/s", goal: atLeast(0.7, "ratio") },
        ...{ value: median(rates.many), raw: median(rates.raw) }
      },
      {
        ...{ name: "the same with few rooms", unit: "/s", goal: null },
        ...{ value: median(rates.few), raw: median(rates.raw) }
      },
      {
        ...{ name: "reads with many rooms, of those with few", unit: "x", raw: null },
        ...{ value: median(rates.many) / median(rates.few), goal: atLeast(0.9, "value") }
      },
      {
        ...{ name: "CPU of a long list", unit: "ms", goal: atMost(1.5, "ratio") },
        ...{ value: longList, raw: rawList }
      },
      {
        ...{ name: "CPU of a room in a long list, of one in a short", unit: "x", raw: null },
        value: longList / size.manyRooms / (shortList / size.fewRooms),
        goal: atMost(1.2, "value")
      }
    ],
    faults: [],
    notes: [
      `reads: ${size.readers} connections; the reference asks for the key, the row and the objects`,
      `lists: ${size.manyRooms} and ${size.fewRooms} rooms; the reference's rows are in memory`
    ]
  }
}
