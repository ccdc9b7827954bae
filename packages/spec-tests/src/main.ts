import { readFileSync } from "node:fs"

import { Schema } from "effect"

import { checks } from "./checks/Checks.ts"
import { defaultCodecs } from "./codec/DefaultCodecs.ts"
import { Config } from "./engine/Config.ts"
import { defaultJobs, runChecks } from "./engine/RunChecks.ts"
import { Ambient } from "./trial/Ambient.ts"
import { openFixtures } from "./trial/Fixtures.ts"
import { openWorld } from "./trial/World.ts"

const [configPath = "conformance.config.json", only = ""] = process.argv.slice(2)
const config = Schema.decodeUnknownSync(Schema.fromJsonString(Config))(
  readFileSync(configPath, "utf8")
)
const world = await openWorld(config, { codecs: defaultCodecs, strict: true })
const fixtures = openFixtures(config)
const results = await runChecks(
  checks.filter(({ ids }) => ids.some((id) => id.startsWith(only))),
  {
    ...{ world, ambient: new Ambient([], world.codecs), fixtures, seed: 1 },
    ...{ signal: new AbortController().signal, jobs: defaultJobs },
    onResult: ({ status, ids, title, reason, expected, actual, trace, tookMs }) => {
      process.stdout.write(`${status} ${ids.join()} ${title} (${tookMs} ms)\n`)
      if (status !== "pass" && status !== "unsupported") {
        process.stdout.write(`  ${reason}: expected ${expected}, got ${actual}\n`)
        process.stdout.write(`${trace.map((line) => `    ${line}`).join("\n")}\n`)
      }
    }
  }
)
await fixtures.close()
world.close()
process.exitCode = results.some(({ status }) => status === "fail" || status === "error") ? 1 : 0
