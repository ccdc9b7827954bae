import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

import type { Program } from "@atrium/api/testing/BuiltPrograms"
import { copyPreparedCluster } from "@atrium/api/testing/PreparedCluster"

const repository = join(import.meta.dirname, "../..")
const fixtures = join(repository, "packages/spec-tests/fixtures/project")

interface OwnCliOptions {
  readonly baseUrl: string
  /** Of the account that it is logged in as. */
  readonly token: string
  /** Takes its login, and what of it was compiled. */
  readonly folder: string
  readonly pathOf: (program: Program) => string
}

/** Our command-line tool for the suite, logged in; and how a server of one's own is started. */
export const ownCli = async ({ baseUrl, token, folder, pathOf }: OwnCliOptions) => {
  const config = join(folder, "config")
  await mkdir(join(config, "atrium"), { recursive: true, mode: 0o700 })
  const login = { token, tokenId: "conformance", accountId: "conformance", name: "conformance" }
  const logins = { [new URL(baseUrl).origin]: { ...login, expiresAt: null } }
  await writeFile(join(config, "atrium/credentials.json"), JSON.stringify({ logins }), {
    mode: 0o600
  })
  const selfRun = join(folder, "self-run")
  await mkdir(selfRun)
  copyPreparedCluster(join(selfRun, "data/postgres"))
  return {
    cli: {
      argv: [process.execPath, pathOf("cli")],
      env: { NODE_COMPILE_CACHE: join(folder, "compiled") },
      confirm: ["--yes"],
      initStatic: { yes: ["--static"], no: ["--no-static"] },
      simulate: ["init"],
      loggedInEnv: { XDG_CONFIG_HOME: config, ATRIUM_URL: baseUrl },
      projects: {
        plain: join(fixtures, "plain"),
        declaring: join(fixtures, "declaring"),
        breaking: join(fixtures, "breaking")
      }
    },
    selfRun: {
      argv: [process.execPath, pathOf("service")],
      env: { PORT: "0", ATRIUM_DATA: join(selfRun, "data") },
      ready: "^ready http"
    }
  }
}
