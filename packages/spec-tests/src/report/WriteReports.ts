import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { styleText } from "node:util"

import type { ReportKind } from "../commands/SuiteFlags.ts"
import { junitReport } from "./JunitReport.ts"
import { markdownReport } from "./MarkdownReport.ts"
import type { Report } from "./Report.ts"
import { terminalReport } from "./TerminalReport.ts"

const files = {
  junit: { name: "junit.xml", render: junitReport },
  md: { name: "conformance.md", render: markdownReport }
}

/** Writes the reports that are asked for; JSON lines were written as they came. */
export const writeReports = (
  report: Report,
  { kinds, folder }: { readonly kinds: ReadonlyArray<ReportKind>; readonly folder: string }
): void => {
  for (const kind of kinds) {
    if (kind === "terminal") {
      // It looks at NO_COLOR and at what standard output is.
      const text = terminalReport(report, (style, shown) =>
        styleText(style, shown, { stream: process.stdout })
      )
      process.stdout.write(`${text}\n`)
    } else if (kind !== "json") {
      const { name, render } = files[kind]
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, name), render(report))
    }
  }
}
