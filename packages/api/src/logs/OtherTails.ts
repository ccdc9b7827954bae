import { OtherRunners } from "@atrium/actors/cluster/OtherRunners"
import { Links } from "@atrium/actors/link/Links"
import { RunnerAnswers } from "@atrium/actors/link/RunnerAnswers"
import type { LogFollower } from "@atrium/actors/logs/LogFollowers"
import { LogTail } from "@atrium/actors/logs/LogTail"
import { logFailure } from "@atrium/actors/store/StoreFailure"
import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { type KeptLine, lineIdAt, LogLevels } from "@atrium/domain/logs/LogLine"
import { Clock, Context, Deferred, Effect, Layer, Schedule, Schema, type Scope } from "effect"

/** The question of one runner to another for the lines of a project's rooms. */
const question = "logs.tail"

const Query = Schema.Struct({
  projectId: Schema.String,
  roomId: Schema.NullOr(Schema.String),
  level: Schema.Literals(LogLevels),
  fromId: Schema.Int
})

/** The first part has the lines in memory, each further one the lines that came since. */
const Part = Schema.Struct({
  lines: Schema.Array(
    Schema.Struct({
      lineId: Schema.Int,
      roomId: Schema.String,
      level: Schema.Literals(LogLevels),
      line: Schema.String
    })
  ),
  /** Lines that were dropped; `null` = nobody knows how many. */
  missed: Schema.NullOr(Schema.Int),
  /** The project is gone. */
  isOver: Schema.Boolean
})
type Part = typeof Part.Type

const decodeQuery = Schema.decodeUnknownEffect(Query)
const decodePart = Schema.decodeUnknownEffect(Part)

/** Answers other runners. */
const tailAnswer = Effect.gen(function* () {
  const tail = yield* LogTail
  const answers = yield* RunnerAnswers
  yield* answers.add(
    question,
    Effect.fnUntraced(function* (input: unknown) {
      const query = yield* Effect.orDie(decodeQuery(input))
      const follower = yield* tail.followForRunner(query)
      let began = false
      return Effect.suspend((): Effect.Effect<Part> => {
        if (began) {
          return Effect.map(follower.next(LogLimits.logTailPing.ms), (heard) => ({
            ...heard,
            isOver: follower.isOver
          }))
        }
        began = true
        const { lines, isWhole } = tail.recent(query.projectId, query)
        const newest = lines.slice(-LogLimits.logLines.max)
        const missed = isWhole && newest.length === lines.length ? 0 : null
        return Effect.succeed({ lines: newest, missed, isOver: false })
      })
    })
  )
})

/** The lines that other runners have in memory. */
export interface OtherLines {
  readonly lines: ReadonlyArray<KeptLine>
  /** Every runner has told its lines. */
  readonly isWhole: boolean
}

/**
 * The tails of the other runners. What their rooms log is told to a follower of this runner from now on, until the
 * scope ends, also what rooms log on runners that start later. Source: C-424.
 */
export const OtherTails = Context.Reference<{
  readonly several: boolean
  /** @param fromId the first line that is wanted of those in memory */
  follow(follower: LogFollower, fromId: number): Effect.Effect<OtherLines, never, Scope.Scope>
}>("@atrium/api/logs/OtherTails", {
  defaultValue: () => ({
    several: false,
    follow: () => Effect.succeed({ lines: [], isWhole: true })
  })
})

/** Follows other runners, and lets them follow this one. */
export const OtherTailsLayer = Layer.effect(
  OtherTails,
  Effect.gen(function* () {
    const others = yield* OtherRunners
    const following = yield* makeFollowing
    yield* tailAnswer

    const follow = Effect.fnUntraced(function* (follower: LogFollower, fromId: number) {
      const startedId = lineIdAt(yield* Clock.currentTimeMillis)
      const look = lookFor(follower, { living: others.living, following })
      const before = yield* look(fromId)
      const again = Effect.gen(function* () {
        for (const part of yield* look(startedId)) if (part !== null) tellAll(follower, part)
      })
      yield* again.pipe(
        // The runners that are followed are heard all the same.
        logFailure("a tail could not look for other runners", Effect.logWarning),
        Effect.delay(LogLimits.logTailLook.ms),
        Effect.repeat(Schedule.forever),
        Effect.forkScoped
      )
      return {
        lines: before.flatMap((part) => part?.lines ?? []),
        isWhole: before.every((part) => part !== null)
      }
    })
    return { several: others.several, follow }
  })
)

/** Another runner, as one tail sees it. */
interface FollowedRunner {
  /** The first line of the runner that was not told yet. */
  fromId: number
  /** Else it is asked again at the next look, from that line on. */
  following: boolean
}

interface Followed {
  readonly follower: LogFollower
  readonly runner: FollowedRunner
  /** The first part has come; `null` = it has not. */
  readonly began: (part: Part | null) => Effect.Effect<void>
}

type Following = (link: string, followed: Followed) => Effect.Effect<void>

/** Tells what one runner says, until the runner, its link or the project ends. */
const makeFollowing = Effect.gen(function* () {
  const links = yield* Links
  const following: Following = (link, { follower, runner, began }) =>
    Effect.gen(function* () {
      const { projectId, roomId, level } = follower.query
      const input = { projectId, roomId, level, fromId: runner.fromId }
      const answering = yield* links.ask(link, { name: question, input })
      const next = (withinMs: number) => Effect.flatMap(answering.next(withinMs), decodePart)
      let part = yield* next(0)
      yield* began(part)
      while (!part.isOver) {
        const last = part.lines.at(-1)
        if (last !== undefined) runner.fromId = last.lineId + 1
        part = yield* next(LogLimits.logTailPing.ms)
        tellAll(follower, part)
      }
    }).pipe(
      Effect.scoped,
      Effect.catchTag("SchemaError", (error) =>
        Effect.logWarning("another runner's log lines cannot be read", error)
      ),
      // It is asked again at the next look.
      Effect.catchTag("RunnerSilent", () => Effect.void),
      Effect.ensuring(
        Effect.suspend(() => {
          runner.following = false
          return began(null)
        })
      )
    )
  return following
})

/** Follows the runners that are not followed yet. The looks answer with their lines in memory; `null` = no answer. */
const lookFor = (
  follower: LogFollower,
  {
    living,
    following
  }: {
    readonly living: (typeof OtherRunners)["Service"]["living"]
    readonly following: Following
  }
) => {
  const runners = new Map<string, FollowedRunner>()
  return Effect.fnUntraced(function* (fromId: number) {
    const alive = yield* living
    for (const [address, runner] of runners) {
      if (runner.following || alive.some((other) => other.address === address)) continue
      // It has ended, and its last lines may not have come.
      runners.delete(address)
      follower.miss(null)
    }
    const firsts: Array<Effect.Effect<Part | null>> = []
    for (const { address, link } of alive) {
      const runner = runners.get(address) ?? { fromId, following: false }
      if (link === null || runner.following) continue
      runners.set(address, runner)
      runner.following = true
      const first = yield* Deferred.make<Part | null>()
      const began = (part: Part | null) => Effect.asVoid(Deferred.succeed(first, part))
      yield* Effect.forkScoped(following(link, { follower, runner, began }))
      firsts.push(Deferred.await(first))
    }
    return yield* Effect.all(firsts, { concurrency: "unbounded" })
  })
}

const tellAll = (follower: LogFollower, { lines, missed }: Part): void => {
  for (const line of lines) follower.hear(line)
  if (missed !== 0) follower.miss(missed)
}
