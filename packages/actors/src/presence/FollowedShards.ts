import { PresenceLimits } from "@atrium/domain/presence/PresenceLimits"
import { Clock, Deferred, Effect, Exit, Latch, Schedule, Scope } from "effect"

import { OtherRunners } from "../cluster/OtherRunners.ts"
import { Links } from "../link/Links.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { PresenceEvent, PresenceMachine } from "./PresenceMachine.ts"
import { decodePresencePart, presenceQuestion } from "./PresenceReport.ts"
import type { Place } from "./SeatedPlayers.ts"

/** A shard of whose players the other runners tell this one. */
interface Followed {
  readonly shard: number
  readonly machine: PresenceMachine
  readonly scope: Scope.Closeable
  /** Runners whose streams are open, or are being opened. */
  readonly open: Set<string>
  /** When a runner that did not answer is asked again, in ms of the machine. */
  readonly againAtMs: Map<string, number>
  /** The runners that there were at first have told their players, or did not answer in time. */
  readonly told: Deferred.Deferred<void>
  readAtMs: number
}

/** The shards of whose players this runner hears, for as long as somebody asks for them. */
export interface FollowedShards {
  /** Follows the shard if it is not followed, and waits until the other runners have told their players. */
  follow(shard: number): Effect.Effect<void>
  /** The rooms that a player is in on other runners; none when the player's shard is not followed. */
  of(shard: number, subject: string): ReadonlyArray<Place>
}

/** What follows from a change, and what keeps a shard followed. */
export interface Listening {
  /** The rooms of a player on another runner may have changed. */
  changed(subject: string): void
  /** Whether a watch waits for a player of the shard. */
  waits(shard: number): boolean
}

/** The machine's own time: how long a runner has been silent is no matter of the service's clock. */
const machineMs = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/** A runner that is alone asks nobody. */
const alone: FollowedShards = { follow: () => Effect.void, of: () => [] }

export const makeFollowedShards = Effect.fnUntraced(function* (listening: Listening) {
  if (!(yield* OtherRunners).several) return alone
  const scope = yield* Effect.scope
  const shards = new Map<number, Followed>()
  /** Whether a shard is followed: else there is nobody to look for. */
  const some = Latch.makeUnsafe(false)
  const look = yield* makeLook(listening)

  const lookAtAll = Effect.gen(function* () {
    const nowMs = yield* machineMs
    for (const followed of shards.values()) {
      if (listening.waits(followed.shard)) followed.readAtMs = nowMs
      if (nowMs - followed.readAtMs < PresenceLimits.presenceUnread.ms) {
        yield* look(followed)
      } else {
        shards.delete(followed.shard)
        yield* Scope.close(followed.scope, Exit.void)
      }
    }
    if (shards.size === 0) some.closeUnsafe()
  })
  yield* lookAtAll.pipe(
    // The runners that are heard are heard all the same.
    logFailure("presence could not look for other runners", Effect.logWarning),
    Effect.delay(PresenceLimits.presenceLook.ms),
    some.whenOpen,
    Effect.repeat(Schedule.forever),
    Effect.forkIn(scope)
  )

  const begin = Effect.fnUntraced(function* (shard: number, nowMs: number) {
    const followed: Followed = {
      shard,
      machine: new PresenceMachine(),
      scope: yield* Scope.fork(scope),
      open: new Set(),
      againAtMs: new Map(),
      told: yield* Deferred.make<void>(),
      readAtMs: nowMs
    }
    // Another reader may have been first.
    const known = shards.get(shard)
    if (known !== undefined) return known
    shards.set(shard, followed)
    some.openUnsafe()
    const first = look(followed).pipe(
      Effect.flatMap(Effect.forEach(Deferred.await, { concurrency: "unbounded", discard: true })),
      Effect.timeoutOption(PresenceLimits.presenceFirst.ms),
      logFailure("presence could not look for other runners", Effect.logWarning),
      Effect.ensuring(Deferred.succeed(followed.told, undefined))
    )
    yield* Effect.forkIn(first, followed.scope)
    return followed
  })

  const follow = Effect.fnUntraced(function* (shard: number) {
    const nowMs = yield* machineMs
    const followed = shards.get(shard) ?? (yield* begin(shard, nowMs))
    followed.readAtMs = nowMs
    yield* Deferred.await(followed.told)
  })
  const followed: FollowedShards = {
    follow,
    of: (shard, subject) => shards.get(shard)?.machine.of(subject) ?? []
  }
  return followed
})

/** Looks for runners that are not heard. @returns of each, what completes when it has told its players */
const makeLook = Effect.fnUntraced(function* (listening: Listening) {
  const others = yield* OtherRunners
  const hear = yield* makeHearing(listening)
  return Effect.fnUntraced(function* (followed: Followed) {
    const { machine, open, againAtMs } = followed
    const nowMs = yield* machineMs
    happened(followed, listening, PresenceEvent.Looked({ nowMs }))
    const living = yield* others.living
    for (const runner of machine.runners) {
      if (open.has(runner) || living.some(({ address }) => address === runner)) continue
      againAtMs.delete(runner)
      happened(followed, listening, PresenceEvent.RunnerGone({ runner }))
    }
    const firsts: Array<Deferred.Deferred<void>> = []
    for (const { address, link } of living) {
      // A runner without a link is starting, and has no rooms yet.
      if (link === null || open.has(address) || nowMs < (againAtMs.get(address) ?? 0)) continue
      const first = yield* Deferred.make<void>()
      open.add(address)
      const heard = hear(followed, { runner: address, link, told: first })
      yield* Effect.forkIn(heard, followed.scope)
      firsts.push(first)
    }
    return firsts
  })
})

interface Heard {
  readonly runner: string
  readonly link: string
  /** The runner has told all of its players, or will not. */
  readonly told: Deferred.Deferred<void>
}

/** Hears one runner until the runner or its link ends. */
const makeHearing = Effect.fnUntraced(function* (listening: Listening) {
  const links = yield* Links
  let streams = 0
  return Effect.fnUntraced(
    function* (followed: Followed, { runner, link, told }: Heard) {
      const stream = ++streams
      let answered = false
      happened(followed, listening, PresenceEvent.StreamBegan({ runner, stream }))
      const hearing = Effect.gen(function* () {
        const answering = yield* links.ask(link, { name: presenceQuestion, input: followed.shard })
        for (;;) {
          const next = answering.next(PresenceLimits.presencePing.ms)
          const { players, whole } = yield* Effect.flatMap(next, decodePresencePart)
          answered = true
          happened(
            followed,
            listening,
            PresenceEvent.PlayersTold({ runner, stream, players, whole })
          )
          if (whole) yield* Deferred.succeed(told, undefined)
        }
      })
      yield* hearing.pipe(
        Effect.scoped,
        Effect.catchTag("SchemaError", (error) =>
          Effect.logWarning("another runner's presence cannot be read", error)
        ),
        // It is asked again at the next look.
        Effect.catchTag("RunnerSilent", () => Effect.void)
      )
      const nowMs = yield* machineMs
      if (!answered) followed.againAtMs.set(runner, nowMs + PresenceLimits.presenceAgain.ms)
      happened(followed, listening, PresenceEvent.StreamEnded({ runner, stream, nowMs }))
    },
    (effect, followed, { runner, told }) =>
      Effect.ensuring(
        effect,
        Effect.suspend(() => {
          followed.open.delete(runner)
          return Deferred.succeed(told, undefined)
        })
      )
  )
})

const happened = ({ machine }: Followed, listening: Listening, event: PresenceEvent): void => {
  for (const subject of machine.step(event)) listening.changed(subject)
}
