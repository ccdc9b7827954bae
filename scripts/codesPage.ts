import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { allExplained, type Explained } from "@atrium/domain/codes/Codes"

const path = fileURLToPath(new URL("../docs/guide/codes.md", import.meta.url))

const head = `# Codes

What the codes of the service, of rooms and of the client library mean. \`atrium explain <code>\` shows the same. Room code
may make up codes of its own, which are not here. \`npm exec -- node scripts/codesPage.ts\` writes this page from
\`packages/domain/src/codes\`.
`

const seenAs = ({ status, closeCode, client }: Explained): string => {
  const close = `WebSocket close ${closeCode}, after which a client ${client === "retry" ? "comes back by itself" : "stops"}`
  const places = [
    ...(status === null ? [] : [`HTTP ${status}`]),
    ...(closeCode === null ? [] : [close])
  ]
  return places.length === 0 ? "" : `Seen as ${places.join(", and as ")}.\n\n`
}

const entry = (each: Explained): string =>
  `## ${each.code}\n\n${each.means}\n\n${seenAs(each)}- Why: ${each.why}\n- Next: ${each.next}\n`

/** The text of docs/guide/codes.md. */
export const codesPage = (): string => [head, ...allExplained().map(entry)].join("\n")

/** The page as it is in the repository. */
export const storedPage = (): string => readFileSync(path, "utf8")

if (import.meta.main) writeFileSync(path, codesPage())
