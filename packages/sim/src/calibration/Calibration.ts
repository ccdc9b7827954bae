import { Schema } from "effect"

import { required, section } from "../scenario/ScenarioKey.ts"

/** Zero or more: of a figure that the service was measured by. */
const Figure = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
  message: "must be a number, at least 0"
})
const figure = (description: string) => required(Figure, description)

const Machine = section({
  name: required(Schema.String, "What was measured, in words: a host's name, a kind of machine."),
  cores: figure("Cores of it."),
  memoryBytes: figure("Its memory, in bytes."),
  measuredOn: required(
    Schema.String.check(
      Schema.isPattern(/^20[0-9]{2}-[01][0-9]-[0-3][0-9]$/, {
        message: "must be a date such as 2026-11-22"
      })
    ),
    "The day of the measurement, UTC. Whoever measures says it: nothing here reads a clock."
  )
})

/** CPU time of one core, of the whole process tree of a runner: service, rooms, launcher; no PostgreSQL. */
const Cpu = section({
  joinAwakeMs: figure(
    "A join into a room that is awake, from connecting to the whole welcome, ms."
  ),
  joinNewRoomMs: figure(
    "A join that makes a room with code, with the process that is prepared for the next one, ms."
  ),
  joinNewRelayRoomMs: figure("A join that makes a relay room, ms."),
  wakeMs: figure(
    "A join that wakes a sleeping room with code, with the process prepared for the next one, ms."
  ),
  snapshotMs: figure("A snapshot: asked for, written, stored; without its bytes, ms."),
  snapshotPerKbMs: figure("The same for each 1,024 bytes of the state, ms."),
  messageInUs: figure("A message of a player, to the code of a room that gets 20 in a second, µs."),
  messageInBusyUs: figure(
    "The same in a room that gets 960 in a second, and takes several at once, µs."
  ),
  messageInPerKbUs: figure("The same for each 1,024 bytes of it, µs."),
  patchOutUs: figure("A patch, or another message of the room, to one player, µs."),
  patchOutPerKbUs: figure("The same for each 1,024 bytes of it, µs."),
  tickUs: figure("A tick of a room, without the patches that it sends, µs."),
  serviceShare: required(
    Figure.check(Schema.isLessThanOrEqualTo(1)),
    "Part of the CPU of messages and patches that the runner's service takes, which has one thread: 0 to 1."
  ),
  runnerIdleCores: figure("A runner whose rooms and sockets do nothing, in cores.")
})

const Memory = section({
  socketBytes: figure("A connected player, in the service and in the room's process, bytes."),
  relayRoomBytes: figure("A relay room that is awake, bytes."),
  roomWithCodeBytes: figure("A room with code that is awake: its process, bytes."),
  statePerByte: figure("Bytes of memory for each byte of the state of an awake room."),
  runnerBytes: figure("A runner without rooms and players, bytes.")
})

/** Commits of PostgreSQL. Several rows that one statement writes are one. */
const Writes = section({
  perJoin: figure("A join into a room that is awake."),
  perWake: figure(
    "A start of a room, new or waking: its place, that it runs, that it sleeps again."
  ),
  perSnapshot: figure("A snapshot, with a save generation or without."),
  perDurableCall: figure("A durable call, beside the snapshot that it waits for."),
  perRunnerSecond: figure("A runner that has rooms, each second: reports of rooms, of servers.")
})

/** What a client waits on a machine that has CPU left. */
const Latency = section({
  joinAwakeP50Ms: figure("A join into a room that is awake: half of them take less, ms."),
  joinAwakeP99Ms: figure("The same: 99 of 100 take less, ms."),
  wakeP50Ms: figure("A join that starts a room, new or sleeping: half of them take less, ms."),
  wakeP99Ms: figure("The same: 99 of 100 take less, ms."),
  failoverMs: figure("From the end of a runner until rooms of it are up on another one, ms.")
})

/** Bytes that leave beside what the game sends; the service counts the payload of messages. */
const Wire = section({
  perPatchBytes: figure("A patch, beside the patch itself, bytes."),
  perWelcomeBytes: figure("A welcome, beside the state, bytes.")
})

/**
 * What one of each thing costs on one machine: what a plan counts with. `atrium sim calibrate` writes
 * such a file, `atrium sim plan --calibration` reads it. Keys carry their unit; every key is required,
 * and an unknown one is refused.
 */
export const Calibration = section({
  machine: required(Machine, "Where it was measured."),
  cpu: required(Cpu, "CPU time of a runner."),
  memory: required(Memory, "Memory of a runner."),
  writes: required(Writes, "Writes of the database."),
  latency: required(Latency, "Waits of a client."),
  wire: required(Wire, "Bytes on the wire."),
  sources: required(
    Schema.Record(Schema.String, Schema.String),
    "Where a figure is from, by its path such as cpu.wakeMs: how it was measured, or that it is a guess."
  )
})
export type Calibration = typeof Calibration.Type
