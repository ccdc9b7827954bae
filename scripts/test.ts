import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"

import { endTogether, isEnding, run, runChecks } from "./steps.ts"

// npm test: the check, and all tests but the long ones and those with the tag `thorough`.
// npm test -- --only [arguments of vitest]: those tests alone; where arguments name tests, thorough ones are among them.
// npm run test:thorough: all end-to-end tests. npm run test:long: what only guards a number, or runs for minutes.

interface Counts {
  readonly passed: number
  readonly failed: number
}

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    /** Unix milliseconds. */
    readonly startTime: number
    readonly endTime: number
    readonly assertionResults: ReadonlyArray<{ readonly status: string }>
  }>
}

/** A file that fails outside of its tests (an import, a hook) counts as one failure. */
const countsOf = (report: Report): Counts => ({
  passed: report.numPassedTests,
  failed:
    report.numFailedTests +
    report.testResults.filter(
      (file) =>
        file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed")
    ).length
})

/** Where the time went: the ten slowest files, slowest first. */
const slowest = ({ testResults }: Report): ReadonlyArray<string> =>
  testResults
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, 10)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${relative(".", name)}`)

const runTests = async (args: ReadonlyArray<string>): Promise<Counts> => {
  const folder = mkdtempSync(join(tmpdir(), "atrium-report-"))
  const path = join(folder, "report.json")
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${path}`]
    const code = await run(["vitest", "run", ...reporters, ...args], null)
    // vitest's own report.
    const report: Report = JSON.parse(readFileSync(path, "utf8"))
    const counts = countsOf(report)
    console.log(["The slowest files:", ...slowest(report)].join("\n"))
    // An error outside of every test (an unhandled rejection) fails the run all the same.
    return code === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 }
  } catch (cause) {
    console.error(`vitest gave no report: ${String(cause)}`)
    return { passed: 0, failed: 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

endTogether()
const args = process.argv.slice(2)
const only = args.includes("--only")
const given = args.filter((arg) => arg !== "--only")
const failedChecks = only ? [] : await runChecks()
const tests = isEnding()
  ? { passed: 0, failed: 0 }
  : await runTests([
      ...(given.some((arg) => arg.startsWith("--project")) ? [] : ["--project=!long"]),
      ...(given.length === 0 ? ["--tags-filter=!thorough"] : given)
    ])
const failed = tests.failed + failedChecks.length
if (failedChecks.length > 0) console.error(`check failed: ${failedChecks.join(", ")}`)
const summary = `${tests.passed} passed, ${failed} failed`
console.log(summary)
// .ci/run repeats this as its last line, after npm's own words.
const summaryPath = process.env["ATRIUM_TEST_SUMMARY"] ?? ""
if (summaryPath !== "") writeFileSync(summaryPath, summary)
if (failed > 0) process.exitCode = 1
