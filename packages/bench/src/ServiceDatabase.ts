import { readFileSync } from "node:fs"
import { join } from "node:path"

import type { BenchService } from "@atrium/api/testing/load/Servers"

/** The service's own database, as the role that owns it: the reference works beside it. */
export const databaseOf = ({ dataDir }: BenchService): string => {
  const folder = join(dataDir, "postgres")
  const { atrium }: { readonly atrium: string } = JSON.parse(
    readFileSync(join(folder, "credentials.json"), "utf8")
  )
  // Its fourth line is the port.
  const port = readFileSync(join(folder, "cluster/postmaster.pid"), "utf8").split("\n")[3]
  return `postgres://atrium:${atrium}@127.0.0.1:${port}/atrium`
}
