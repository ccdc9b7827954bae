import type { RoomKey } from "@atrium/domain/shared/Ids"
import type { LogLevel } from "@atrium/runtime/host/HostFrames"
import type { CallFailure } from "@atrium/runtime/host/RoomReports"
import { RoomFrames } from "@atrium/runtime/room/ClientFrames"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Clock, Deferred, Effect, Metric } from "effect"

import { RoomLives } from "../life/RoomLives.ts"
import { RoomLogs } from "../logs/RoomLogs.ts"
import { CountedProjects } from "../metrics/ProjectCounts.ts"
import type { Exit as RoomExit } from "../process/ExitCause.ts"
import type { Peeks } from "../process/Peeks.ts"
import type { RoomProcess, RoomProcessListener } from "../process/RoomProcess.ts"
import { firstPlace } from "../process/stacks/StackText.ts"
import type { IncarnationReplays } from "../replay/RoomReplays.ts"
import type { ServerWaking, StartFailed } from "../servers/ServerProtocol.ts"
import type { FactWrites } from "./FactWrites.ts"
import type { IncarnationStart } from "./IncarnationStart.ts"
import type { TakeCall } from "./RoomCalls.ts"
import type { RoomGate } from "./RoomGate.ts"
import { RoomLine } from "./RoomLine.ts"
import type { RoomLobby } from "./RoomLobby.ts"
import { RoomLog } from "./RoomLog.ts"
import type { SnapshotKeeper } from "./SnapshotKeeper.ts"
import { refusalAfter } from "./StartRefusal.ts"

const exits = Metric.counter("atrium_room_exits_total", {
  description: "Room processes that ended, by cause",
  incremental: true
})

const overruns = Metric.counter("atrium_tick_overruns_total", {
  description: "Ticks of rooms that began a whole period late or later, or never ran",
  incremental: true
})

/** Where the parts of what a process says go. */
interface Wires {
  readonly keeper: SnapshotKeeper
  readonly facts: FactWrites
  readonly peeks: Peeks
  readonly ready: Deferred.Deferred<void, StartFailed | ServerWaking>
  readonly ended: Deferred.Deferred<RoomExit>
  readonly lobby: RoomLobby
  /** `null` = the room records nothing. */
  readonly replays: Pick<IncarnationReplays, "listener"> | null
  /** The room is for trying; no alarm of a branch goes off. */
  readonly inert: { readonly isInert: boolean; readonly isBranch: boolean }
  /** Takes the in-room calls. */
  readonly call: TakeCall
  readonly callAnswered: RoomProcess["callAnswered"]
  /** Puts sources into a line that may be a stack; never rejects. */
  readonly mapStack: (line: string) => string | Promise<string>
}

/** What the process says, sorted: messages to the gate, states to the keeper, the rest to the stores. */
export const makeRoomListener = Effect.fnUntraced(function* (
  { key, gate, ingest }: IncarnationStart,
  wires: Wires
) {
  const { keeper, facts, peeks, ready, ended, lobby, inert, replays, call, mapStack } = wires
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const inRoom = (effect: Effect.Effect<unknown, unknown>): void => {
    run(
      effect.pipe(
        Effect.catchCause((cause) => Effect.logError("a room's facts could not be stored", cause)),
        Effect.annotateLogs({ project: key.projectId, room: key.roomId })
      )
    )
  }
  const clock = yield* Clock.Clock
  const kept = yield* RoomLogs
  const crashed = yield* makeCrashNotes
  let uncaught: string | null = null
  const log = new RoomLog({
    ingest,
    mapStack,
    nowMs: () => clock.currentTimeMillisUnsafe(),
    write: (level, line) => {
      kept.say(key, level, line)
      inRoom(Effect.provideService(logs[level](line), RoomLine, true))
    },
    dropped: () => kept.dropped("ingest")
  })
  const listener: RoomProcessListener = {
    ready: () => Deferred.doneUnsafe(ready, Effect.void),
    joined: (ref, welcome) => gate.joined(ref, welcome),
    refused: (ref, refusal) => gate.refused(ref, refusal),
    deliver: (refs, frame) => gate.deliver(refs, frame),
    kick: (ref, close) => gate.kick(ref, close),
    changed: () => keeper.changed(),
    saveRequested: (saveId, generation) => keeper.saveRequested(saveId, generation),
    snapshot: (...taken) => void (peeks.came(...taken) || keeper.snapshot(...taken)),
    // No alarm wakes a branch.
    alarms: (alarms) => void (inert.isBranch || facts.alarms.write(alarms)),
    lobby: (change) => void (inert.isInert || lobby.change(change)),
    voice: (changes) => gate.call?.groupsChanged(changes),
    log: (level, line) => {
      uncaught = uncaughtIn(level, line) ?? uncaught
      log.say(level, line)
    },
    lineDropped: () => kept.dropped("room"),
    ticksOverran: (ticks) => inRoom(Metric.update(overruns, ticks)),
    playerChanged: (playerId, fields) => {
      gate.playerChanged(playerId, fields)
      if (!inert.isInert) facts.playerChanged(playerId, fields)
    },
    callFailed: (failure) => void refuseCall(failure, gate, mapStack),
    ...(replays === null ? {} : { footage: replays.listener }),
    called: (callId, request) => call(request, (answer) => wires.callAnswered(callId, answer)),
    exited: (exit) => {
      keeper.gone()
      peeks.gone()
      Deferred.doneUnsafe(ready, Effect.fail(refusalAfter(exit)))
      Deferred.doneUnsafe(ended, Effect.succeed(exit))
      inRoom(Metric.update(Metric.withAttributes(exits, { cause: exit.cause }), 1))
      if (exit.cause !== "stopped") crashed(key, causeWith(uncaught, exit), keeper.staleMs())
      const end = `the room's process ended: ${exit.cause} ${exit.detail}`
      const goesBack = `its stored state is ${keeper.staleMs()} ms older`
      void log.written().then(() => {
        // The service ends processes all the time; the developer asks why one ended by itself.
        if (exit.cause !== "stopped") kept.say(key, "error", `${end}; ${goesBack}`)
        inRoom(Effect.logInfo(`${end}; ${goesBack}`))
      })
    }
  }
  return listener
})

/** Tells the room's life and the counts of its project of a process that ended by itself. */
const makeCrashNotes = Effect.gen(function* () {
  const counts = yield* CountedProjects
  const lives = yield* RoomLives
  return (key: RoomKey, { cause: reason, detail }: RoomExit, staleMs: number): void => {
    counts.exited(key.projectId)
    lives.note(key, { kind: "crashed", reason, detail, staleMs })
  }
})

/** The first line of what the runtime says of an error that ends its process; `null` = the line is another one. */
const uncaughtIn = (level: LogLevel, line: string): string | null =>
  level === "error" && line.startsWith("uncaught: ")
    ? (line.slice("uncaught: ".length).split("\n", 1)[0] ?? null)
    : null

/** The words of the error tell more than the exit code that came of it. */
const causeWith = (uncaught: string | null, { cause, detail }: RoomExit): RoomExit =>
  cause === "crashed" && uncaught !== null ? { cause, detail: uncaught } : { cause, detail }

/** The caller gets the place in the room's code, and the message of the error. */
const refuseCall = async (
  { ref, callId, message, stack }: CallFailure,
  gate: RoomGate,
  mapStack: Wires["mapStack"]
): Promise<void> => {
  const place = firstPlace(await mapStack(stack))
  const text = serviceMessage([place, message].filter(Boolean).join(" "))
  const refusal = { code: RoomRefusals.rpcFailed.code, message: text }
  gate.deliver([ref], RoomFrames.rpcRefusal(callId, refusal))
}

const logs = {
  debug: (line: string) => Effect.logDebug(line),
  info: (line: string) => Effect.logInfo(line),
  warn: (line: string) => Effect.logWarning(line),
  error: (line: string) => Effect.logError(line)
} as const
