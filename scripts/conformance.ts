import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

import { startOwnService } from "./conformance/OwnService.ts"

// npm run conformance [-- arguments of the suite]: against our own service.

const suite = join(import.meta.dirname, "../packages/spec-tests/src/main.ts")
const service = await startOwnService()
try {
  const child = spawn(process.execPath, [suite, service.config, ...process.argv.slice(2)], {
    stdio: "inherit"
  })
  const [code] = await once(child, "exit")
  process.exitCode = Number(code ?? 1)
} finally {
  await service.stop()
}
