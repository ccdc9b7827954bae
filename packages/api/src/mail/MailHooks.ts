import { MailStore } from "@atrium/actors/mail/MailStore"
import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { Effect, Option, Schema } from "effect"

import { HookRefused, type Hooks, verb } from "../control/Hook.ts"

/** A hook that reads the mails about a project, whether they have been sent or not. */
export const hooks = Effect.gen(function* () {
  const projects = yield* ProjectStore
  const mails = yield* MailStore
  const verbs: Hooks = {
    "outbox/read": verb(
      Schema.Struct({ project: Schema.NonEmptyString }),
      Effect.fnUntraced(function* ({ project }) {
        const found = Option.getOrNull(yield* projects.find(project))
        if (found === null) {
          return yield* new HookRefused({ message: "project: no project has that id" })
        }
        return { mails: yield* mails.list(found.projectId) }
      })
    )
  }
  return verbs
})
