import { MailStore } from "@atrium/actors/mail/MailStore"
import { AlertStore } from "@atrium/actors/meters/AlertStore"
import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { apiOf } from "@atrium/domain/http/Api"
import { Account } from "@atrium/domain/http/Credential"
import { type Billing, BillingApi } from "@atrium/domain/meters/BillingApi"
import { billingPeriod } from "@atrium/domain/meters/Caps"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** The alerts of the caller's projects, and the address for mails about them. */
export const BillingHandlers = HttpApiBuilder.group(
  apiOf(BillingApi),
  "billing",
  Effect.fnUntraced(function* (handlers) {
    const projects = yield* ProjectStore
    const alerts = yield* AlertStore
    const mails = yield* MailStore

    const shown = Effect.gen(function* () {
      const { accountId } = yield* Account
      const { startMs, endMs } = billingPeriod(yield* Clock.currentTimeMillis)
      const owned = yield* projects.list(accountId)
      const byId = new Map(owned.map((project) => [project.projectId, project]))
      const raised = yield* alerts.list([...byId.keys()], startMs)
      const billing: Billing = {
        tier: owned.some(({ plan }) => plan === "card") ? "card" : "free",
        period: { start: isoOf(startMs), end: isoOf(endMs) },
        mail: yield* mails.contact(accountId),
        alerts: raised.flatMap(({ projectId, atMs, ...alert }) => {
          const project = byId.get(projectId)
          if (project === undefined) return []
          const { name, plan: tier } = project
          return [{ project: projectId, name, tier, ...alert, at: isoOf(atMs) }]
        })
      }
      return billing
    })

    return handlers.handleAll({
      read: Effect.fn("billing.read")(() => shown),
      set: Effect.fn("billing.set")(function* ({ payload }) {
        const { accountId } = yield* Account
        yield* mails.setContact(accountId, payload.mail)
        return yield* shown
      })
    })
  })
)
