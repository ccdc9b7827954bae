import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { apiOf } from "@atrium/domain/http/Api"
import { PlansApi } from "@atrium/domain/meters/PlansApi"
import { NotFound } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { makeOperatorOnly } from "../logins/OperatorOnly.ts"

/** The plans of projects, for the service's operator. */
export const PlansHandlers = HttpApiBuilder.group(
  apiOf(PlansApi),
  "plans",
  Effect.fnUntraced(function* (handlers) {
    const projects = yield* ProjectStore
    const operatorOnly = yield* makeOperatorOnly
    return handlers.handleAll({
      set: Effect.fn("plans.set")(function* ({ params: { id }, payload: { plan } }) {
        yield* operatorOnly
        if (!(yield* projects.setPlan(id, plan))) return yield* new NotFound()
        return { id, plan }
      })
    })
  })
)
