import { same } from "../../check/Expect.ts"
import { keyRoutesHeading } from "../Headings.ts"
import { keyFields } from "../Literals.ts"
import { listOf } from "../resources/KeyRows.ts"
import { loginRoute } from "../RowKinds.ts"
import { section, tierA } from "../Section.ts"
import { held } from "../states/HeldTime.ts"
import { takesALogin } from "./LoginRoutes.ts"

/** Lines 210 to 216 of the specification: Project API keys. */
export const keyRoutesSection = section(keyRoutesHeading, {
  "keys.routes.api-key-refused": tierA(210, "key routes refuse an API key", {
    alsoLines: [297, 298],
    error: { outcome: { status: 401 } },
    provedBy: ["auth.key.cannot.mint", "state.key.post-active#model"]
  }),
  "route.keys.mint": loginRoute(214, "POST /v1/projects/:id/keys", {
    success: 201,
    check: takesALogin
  }),
  "keys.mint.response-fields": tierA(214, "fields of the mint response are not given", {
    level: "decided",
    decisions: ["D-17"],
    shape: {
      of: "the answer of POST /v1/projects/:id/keys",
      fields: { ...keyFields, secret: { type: ["string"] } },
      exact: true
    },
    provedBy: "keys.row.field-names"
  }),
  "route.keys.list": loginRoute(215, "GET /v1/projects/:id/keys", {
    check: [
      takesALogin,
      {
        needs: ["clock"],
        alone: true,
        title: "the list has all keys, the newest first, also of those of one moment",
        run: async (trial) => {
          const project = await trial.project()
          await held(trial)
          const minted: Array<string> = []
          for (let key = 0; key < keysListed; key++) {
            minted.unshift((await project.key("rooms:read")).keyId)
            if (key === keysListed / 2) await trial.control.advance(1)
          }
          const rows = listOf(await project.ask("/keys"))
          same("how many are listed", rows.length, keysListed)
          const ids = rows.map((row) => Object(row)["keyId"])
          trial.chosen("D-04", () => same("their order", ids, minted))
        }
      }
    ]
  }),
  "keys.list.array": tierA(215, "the list is a JSON array", { provedBy: "keys.row.label" }),
  "route.keys.revoke": loginRoute(216, "DELETE /v1/projects/:id/keys/:keyId", {
    check: takesALogin
  })
})

/** More than a page of any usual length. */
const keysListed = 220
