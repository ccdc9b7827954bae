import { type KeptLine, lineIdAt } from "@atrium/domain/logs/LogLine"
import { Clock, Context, Effect, Layer, type Scope } from "effect"

import { type FollowerQuery, type LogFollower, LogFollowers } from "./LogFollowers.ts"
import { RecentLines, type RecentQuery } from "./RecentLines.ts"

/**
 * The lines of this runner's rooms as they come, and the last ones before. `TailStream` puts the tails of all
 * runners together. Source: D-37, C-332.
 */
export class LogTail extends Context.Service<
  LogTail,
  {
    /** Tells the followers of a project. It lies on the way of every line: no Effect. */
    publish(projectId: string, line: KeptLine): void
    /** The last lines in memory. `isWhole` = none that matches has been forgotten. */
    recent(
      projectId: string,
      query: RecentQuery
    ): { readonly lines: ReadonlyArray<KeptLine>; readonly isWhole: boolean }
    /** Whether the project may have one more follower. */
    hasPlace(projectId: string): boolean
    /** The projects of which something is in memory. */
    readonly projects: () => ReadonlyArray<string>
    /** Forgets a project that is gone, and ends its followers. */
    forget(projectId: string): void
    /** Hears of every line from now on, until the scope ends; `null` = there are too many followers. */
    follow(query: FollowerQuery): Effect.Effect<LogFollower | null, never, Scope.Scope>
    /** Does the same for a reader of another runner, which counts the reader there. */
    followForRunner(query: FollowerQuery): Effect.Effect<LogFollower, never, Scope.Scope>
  }
>()("@atrium/actors/logs/LogTail") {
  /** The rooms of this runner. */
  static readonly layer = Layer.effect(
    LogTail,
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const recent = new RecentLines(lineIdAt(nowMs) - 1)
      const followers = new LogFollowers()
      return {
        publish: (projectId, line) => {
          recent.add(projectId, line)
          followers.hear(projectId, line)
        },
        recent: (projectId, query) => recent.from(projectId, query),
        hasPlace: (projectId) => followers.hasPlace(projectId),
        projects: () => [...new Set([...recent.projects, ...followers.projects])],
        forget: (projectId) => {
          recent.forget(projectId)
          followers.end(projectId)
        },
        follow: (query) =>
          Effect.acquireRelease(
            Effect.sync(() => followers.add(query)),
            (follower) =>
              Effect.sync(() => {
                if (follower !== null) followers.remove(follower)
              })
          ),
        followForRunner: (query) =>
          Effect.acquireRelease(
            Effect.sync(() => followers.addRunner(query)),
            (follower) => Effect.sync(() => followers.remove(follower))
          )
      }
    })
  )
}
