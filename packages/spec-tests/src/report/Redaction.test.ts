import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import * as fc from "fast-check"
import { expect, it } from "vitest"

import type { Check } from "../check/Check.ts"
import { Mismatch, same } from "../check/Expect.ts"
import { startFake } from "../engine/testing/FakeImplementation.ts"
import { fakeSuite, plainIds, runFake } from "../engine/testing/FakeRun.ts"
import { xmlText } from "./JunitReport.ts"
import { ReportFile } from "./ReportFile.ts"
import { terminalReport } from "./TerminalReport.ts"
import { writeReports } from "./WriteReports.ts"

const [first, second, third] = plainIds

/** Checks that fail with secrets in everything that is told of them. */
const leaking = (secrets: ReadonlyArray<string>): ReadonlyArray<Check> => [
  {
    ids: [first],
    title: "an answer with secrets",
    run: async (trial) => {
      const [zero, one] = trial.config.accounts
      for (const bearer of [zero, one, ...secrets]) {
        const body = { told: secrets, bearer }
        const path = `/echo?key=${encodeURIComponent(bearer.toWellFormed())}`
        const answer = await trial.send({ method: "POST", path, bearer: printableOf(bearer), body })
        trial.note(`told ${secrets.join(" and ")}`)
        trial.chosen("D-02", () => same(`what ${bearer} says`, answer.text, `not ${bearer}`))
      }
      throw new Mismatch(`of ${secrets.join()}`, { expected: secrets, actual: secrets.join("") })
    }
  },
  {
    ids: [second],
    title: "a check that breaks",
    run: () => Promise.reject(new Error(`broke at ${secrets.join()}`))
  },
  {
    ids: [third],
    title: "a deviation",
    run: async (trial) => {
      const { json } = await trial.send({ method: "GET", path: "/give" })
      trial.chosen("D-16", () => same(`the secret ${secrets.join()}`, json, null))
    }
  }
]

/** A credential is a header: what cannot stand in one is left out. */
const printableOf = (text: string): string => text.replace(/[^\x21-\x7e]/g, "")

/** As it is, in JSON, in markup, and its beginning alone. */
const formsOf = (text: string): ReadonlyArray<string> =>
  [text, text.slice(0, 12)].flatMap((one) => [one, JSON.stringify(one).slice(1, -1), xmlText(one)])

const secret = fc.string({ unit: "grapheme-ascii", minLength: 16, maxLength: 50 })
// The prefix keeps a secret from matching other text of a report by chance.
const secretsOfRun = fc.array(
  secret.map((text) => `Zq${text}`),
  { minLength: 5, maxLength: 5 }
)

it("[conformance.redaction] no secret of configuration or answers is in any report", async () => {
  await fc.assert(
    fc.asyncProperty(
      secretsOfRun,
      async ([zero = "", one = "", control = "", env = "", given = ""]) => {
        const fake = await startFake((request, response) => {
          response.setHeader("content-type", "application/json")
          const all = { secret: given, echoed: request.url, bearer: request.headers.authorization }
          response.end(JSON.stringify(all))
        })
        const folder = mkdtempSync(join(tmpdir(), "redaction-"))
        const file = new ReportFile(join(folder, "conformance.jsonl"))
        try {
          const told = [zero, one, control, env]
          const report = await runFake({
            suite: fakeSuite({ checks: leaking(told) }),
            baseUrl: fake.baseUrl,
            strict: false,
            config: {
              accounts: [zero, one],
              control: { url: fake.baseUrl, token: printableOf(control) },
              cli: { argv: ["/bin/false", env], loggedInEnv: { TOKEN: env, OTHER: control } }
            },
            onLine: (line) => file.write(line)
          })
          writeReports(report, { kinds: ["junit", "md"], folder })
          const reports = [
            ...readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8")),
            terminalReport(report, (_, text) => text)
          ]
          expect(report.results.map(({ status }) => status).toSorted()).toEqual([
            "deviates",
            "error",
            "fail"
          ])
          expect(reports).toHaveLength(4)
          for (const one of [...told, given]) {
            for (const form of formsOf(one)) {
              expect(reports.filter((text) => text.includes(form))).toEqual([])
            }
          }
        } finally {
          file.close()
          rmSync(folder, { recursive: true })
          await fake.close()
        }
      }
    ),
    { numRuns: 40 }
  )
})
