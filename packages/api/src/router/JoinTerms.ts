import { JwtSecretStore } from "@atrium/actors/identity/JwtSecretStore"
import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { RecentAnswers } from "@atrium/actors/store/RecentAnswers"
import { answeredWithin } from "@atrium/actors/store/StoreAnswer"
import type { Origins } from "@atrium/domain/projects/Origins"
import { ProjectLimits } from "@atrium/domain/projects/ProjectLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Clock, Context, Effect, Layer, Option } from "effect"

/** One term of a project. */
export interface JoinTerm<Value> {
  /** As the store has it now. */
  read(projectId: ProjectId): Effect.Effect<Value>
  /** As it was a moment ago; `undefined` = it is not known. */
  recent(projectId: ProjectId): Value | undefined
  /** Reads it for all who ask meanwhile, and tells each when that has ended, well or not. */
  refresh(projectId: ProjectId, ended: () => void): void
  changed(projectId: string): void
}

/**
 * What joins ask of their project. What was read a moment ago lets clients in without a question to the store; it
 * refuses nobody. Source: C-920.
 */
export class JoinTerms extends Context.Service<
  JoinTerms,
  {
    /** The numbers of its JWT secrets, newest first; `null` = there is no such project. */
    readonly kids: Omit<JoinTerm<ReadonlyArray<number> | null>, "changed">
    /** The pages that may join; `null` = there is no such project. */
    readonly origins: Omit<JoinTerm<Origins | null>, "changed">
    /** Somebody has changed the project by this runner. */
    changed(projectId: string): void
  }
>()("@atrium/api/router/JoinTerms") {
  static readonly layer = Layer.effect(
    JoinTerms,
    Effect.gen(function* () {
      const secrets = yield* JwtSecretStore
      const projects = yield* ProjectStore
      const clock = yield* Clock.Clock
      const valid = yield* makeTerm((projectId) => secrets.valid(projectId))
      const kids: JoinTerm<ReadonlyArray<number> | null> = {
        ...valid,
        read: (projectId) => Effect.map(valid.read(projectId), (secrets) => secrets?.kids ?? null),
        // A secret ends at its moment, also when it was read the moment before.
        recent: (projectId) => {
          const recent = valid.recent(projectId)
          if (recent === undefined || recent === null) return recent
          const { kids, untilMs } = recent
          return untilMs === null || clock.currentTimeMillisUnsafe() < untilMs ? kids : undefined
        }
      }
      const origins = yield* makeTerm((projectId) =>
        Effect.map(projects.origins(projectId), Option.getOrNull)
      )
      return {
        kids,
        origins,
        changed: (projectId) => {
          kids.changed(projectId)
          origins.changed(projectId)
        }
      }
    })
  )
}

const makeTerm = Effect.fnUntraced(function* <Value>(
  load: (projectId: ProjectId) => Effect.Effect<Value>
) {
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const answers = new RecentAnswers<Value>({
    age: ProjectLimits.joinTermsKept,
    most: ProjectLimits.joinTermsRead
  })
  const waiting = new Map<string, Array<() => void>>()
  const now = () => ({ serviceMs: clock.currentTimeMillisUnsafe(), machineMs: performance.now() })
  const read = Effect.fnUntraced(function* (projectId: ProjectId) {
    const keep = answers.ask(now())
    const value = yield* load(projectId)
    keep(projectId, value)
    return value
  })
  const term: JoinTerm<Value> = {
    read,
    recent: (projectId) => answers.get(projectId, now()),
    refresh: (projectId, ended) => {
      const others = waiting.get(projectId)
      if (others !== undefined) return void others.push(ended)
      const asking = [ended]
      waiting.set(projectId, asking)
      const tell = Effect.sync(() => {
        waiting.delete(projectId)
        tellInTurns(asking)
      })
      // A failed read is not reported here: each waiter then asks the store itself.
      run(
        read(projectId).pipe(
          answeredWithin(StoreLimits.storeAnswer.ms),
          Effect.exit,
          Effect.andThen(tell)
        )
      )
    },
    changed: (projectId) => answers.changed(projectId)
  }
  return term
})

/** Clients that are seated within one turn of the event loop. */
const toldPerTurn = 64

/** After a loss of the network a thousand clients wait for one answer. */
const tellInTurns = (waiting: ReadonlyArray<() => void>): void => {
  for (const tell of waiting.slice(0, toldPerTurn)) tell()
  const rest = waiting.slice(toldPerTurn)
  if (rest.length > 0) setImmediate(tellInTurns, rest)
}
