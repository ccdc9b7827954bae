import { readFileSync } from "node:fs"

import { prose } from "./referee/Prose.ts"
import { judge } from "./referee/Referee.ts"
import { requirements } from "./sections/Requirements.ts"
import { rows } from "./sections/Sections.ts"

// npm run spec:referee -- PATH-TO-SPEC: is every line, number and code of it covered by the rows?

const [path] = process.argv.slice(2)
if (path === undefined) {
  process.stderr.write("usage: npm run spec:referee -- PATH-TO-SPEC\n")
  process.exitCode = 2
} else {
  const { findings, counts } = judge(readFileSync(path, "utf8"), { requirements, rows, prose })
  for (const { line, kind, says } of findings) {
    process.stdout.write(`${path}:${line}: ${kind}: ${says}\n`)
  }
  const { lines, saying, covered, tableRows, numbers, codes } = counts
  process.stdout.write(
    `${lines} lines, ${saying} that say something (${tableRows} rows of tables): ` +
      `${covered} covered by ${requirements.length} requirements in ${rows.length} rows, ` +
      `${counts.prose} prose; ${numbers} numbers, ${codes} codes; ${findings.length} found\n`
  )
  process.exitCode = findings.length > 0 ? 1 : 0
}
