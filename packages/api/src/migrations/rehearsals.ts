import { Deployer } from "@atrium/actors/deployments/Deployer"
import type { RehearsalRow } from "@atrium/actors/migrations/RehearsalRow"
import { RehearsalBell } from "@atrium/actors/migrations/Rehearsals"
import { RehearsalStore } from "@atrium/actors/migrations/RehearsalStore"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { RehearsalsApi } from "@atrium/domain/migrations/RehearsalsApi"
import { isRehearsalId } from "@atrium/domain/shared/Ids"
import { NotFound } from "@atrium/domain/shared/Refusal"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { rehearsalOf } from "./rehearsalOf.ts"

/** The rehearsals of a project, for its owner. Source: C-710. */
export const RehearsalsHandlers = HttpApiBuilder.group(
  apiOf(RehearsalsApi),
  "rehearsals",
  Effect.fnUntraced(function* (handlers) {
    const store = yield* RehearsalStore
    const deployer = yield* Deployer
    const set = Effect.fnUntraced(function* (rehearsalId: string, state: "running" | "stopped") {
      const { projectId } = yield* CallersProject
      if (!isRehearsalId(rehearsalId)) return yield* new NotFound()
      const found = yield* store.set({ projectId, rehearsalId }, state)
      if (state === "running") (yield* RehearsalBell).openUnsafe()
      return yield* shown(found)
    })
    return handlers.handleAll({
      list: Effect.fn("rehearsals.list")(function* () {
        const { projectId } = yield* CallersProject
        return (yield* store.list(projectId)).map(rehearsalOf)
      }),
      begin: Effect.fn("rehearsals.begin")(function* ({ payload, query: { sample } }) {
        const { projectId } = yield* CallersProject
        const drawn = sample === undefined ? null : Number(sample)
        return rehearsalOf(yield* deployer.rehearse(projectId, payload, drawn))
      }),
      read: Effect.fn("rehearsals.read")(function* ({ params: { rehearsalId } }) {
        const { projectId } = yield* CallersProject
        if (!isRehearsalId(rehearsalId)) return yield* new NotFound()
        return yield* shown(yield* store.find(projectId, rehearsalId))
      }),
      stop: Effect.fn("rehearsals.stop")(({ params }) => set(params.rehearsalId, "stopped")),
      resume: Effect.fn("rehearsals.resume")(({ params }) => set(params.rehearsalId, "running"))
    })
  })
)

const shown = (row: Option.Option<RehearsalRow>) =>
  Option.isSome(row) ? Effect.succeed(rehearsalOf(row.value)) : Effect.fail(new NotFound())
