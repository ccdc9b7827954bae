import { manyAskedMs } from "../../check/Check.ts"
import { same } from "../../check/Expect.ts"
import { section, tierA, rowOf } from "../Section.ts"
import { mib } from "../Units.ts"

/** Line 364 of the specification: Limits. */
export const managementRateSection = section("Limits", {
  "limits.intro.mgmt-rate": tierA(
    364,
    "rate limits of management routes and plan allowances are not given",
    {
      level: "decided",
      decisions: ["D-39"],
      is: { requests: 600, roomHours: 100, storageBytes: 1024 * mib, dataOutBytes: 10_240 * mib },
      check: {
        title:
          "management routes have no rate limit, of reads or of writes, and a project of the free plan has the allowances of D-39",
        timeoutMs: manyAskedMs,
        run: async (trial) => {
          const project = await trial.project()
          const { requests = 0, ...allowances } =
            rowOf("statement", "limits.intro.mgmt-rate").is ?? {}
          const refused: Array<number> = []
          const { name } = project
          const routes = [
            () => project.ask("/rooms"),
            () => project.ask("/keys"),
            () => project.ask("", { method: "PATCH", body: { name } }),
            () =>
              project.ask("/keys", {
                method: "POST",
                body: { scopes: ["rooms:read"], label: name }
              })
          ]
          const asks = async (times: number): Promise<void> => {
            for (let time = 0; time < times; time++) {
              const status = (await routes[time % routes.length]?.())?.status ?? 0
              if (status < 200 || status >= 300) refused.push(status)
            }
          }
          await Promise.all(Array.from({ length: 8 }, () => asks(Number(requests) / 8)))
          trial.chosen("D-39", () => same(`refusals of ${String(requests)} requests`, refused, []))
          if (trial.control.has("plan")) await trial.control.plan(project.id, "free")
          const caps = await project.ask("/caps")
          const { meters: shown, tier } = Object(caps.json)
          const meters = Object(shown)
          if (tier !== "free") return
          trial.chosen("D-39", () => {
            for (const [meter, allowance] of Object.entries(allowances)) {
              same(`the allowance of ${meter}`, Object(meters[meter])["allowance"], allowance)
            }
          })
        }
      }
    }
  )
})
