import { createHmac } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

import type { Check } from "../check/Check.ts"
import { holds, matches, same } from "../check/Expect.ts"
import type { CliRun } from "../trial/CliProbe.ts"

const done = (what: string, { code, stderr }: CliRun): void => {
  holds(`${what} is done`, code === 0, `exit ${code}: ${stderr}`)
}

/** Every text in a folder and below it. */
const textsBelow = async (folder: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), "latin1")))
}

const secretForm = /[a-z]+_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/

/** `api-keys` and `keys`: secrets that are shown once. */
export const cliKeyChecks: ReadonlyArray<Check> = [
  {
    ids: ["cli.api-keys.mint", "cli.api-keys.list", "cli.api-keys.revoke"],
    title: "api-keys mint prints a secret once, list shows the key without it, revoke ends it",
    timeoutMs: 180_000,
    run: async (trial) => {
      const project = await trial.project()
      const apiKeys = (...args: ReadonlyArray<string>): Promise<CliRun> =>
        trial.cli.runLoggedIn(["api-keys", ...args, "--project", project.id])
      const minted = await apiKeys("mint", "--scopes", "rooms:read", "--label", "conformance cli")
      done("minting", minted)
      const [secret = ""] = secretForm.exec(minted.stdout) ?? []
      const listRooms = () => project.ask("/rooms", { bearer: secret })
      same("what the key may do", (await listRooms()).status, 200)
      const listing = (await project.ask("/keys")).json
      const rows: ReadonlyArray<unknown> = Array.isArray(listing) ? listing : []
      const { label, scopes, keyId }: Readonly<Record<string, unknown>> = Object(rows[0])
      same("the key", { label, scopes }, { label: "conformance cli", scopes: ["rooms:read"] })

      const listed = await apiKeys("list")
      done("listing", listed)
      const json = JSON.stringify({ project: project.id })
      const files = { "service.json": '{"project":"p_0000000000000000"}', "game.json": json }
      const folder = await trial.cli.folder(files)
      const named = await trial.cli.runLoggedIn(["api-keys", "list", "-c", "game.json"], { folder })
      trial.chosen("T-10", () => {
        done("listing with -c", named)
        holds("the key is listed", named.stdout.includes(String(keyId)), named.stdout)
      })
      for (const shown of [String(keyId), "rooms:read"]) {
        holds(`${shown} is listed`, listed.stdout.includes(shown), listed.stdout)
      }
      const all = listed.stdout + listed.stderr
      holds("no secret is listed", !all.includes(secret.slice(-43)), all)

      done("revoking", await apiKeys("revoke", String(keyId)))
      await trial.until("the key is refused", async () =>
        (await listRooms()).status === 401 ? true : null
      )
    }
  },
  {
    ids: [
      ...(["cli.keys.jwt-secret", "cli.keys.jwt-secret.not-on-disk"] as const),
      "auth.jwt-secret.once",
      "cli.keys.jwt-mint"
    ],
    title: "keys jwt-secret prints the secret once and writes it nowhere; jwt-mint signs with it",
    timeoutMs: 180_000,
    run: async (trial) => {
      const project = await trial.project()
      const file = JSON.stringify({ project: project.id })
      const folder = await trial.cli.folder({ "service.json": file })
      const home = await trial.cli.folder()
      const argv = ["keys", "jwt-secret", ...(trial.config.cli?.confirm ?? [])]
      const made = await trial.cli.runLoggedIn(argv, { folder, home })
      done("making the secret", made)
      const [secret = ""] = secretForm.exec(made.stdout) ?? []
      matches("the secret", secret, secretForm)
      const again = await trial.cli.runLoggedIn(argv, { folder, home })
      const shown = again.stdout + again.stderr
      holds("the second call does not show it", !shown.includes(secret.slice(-43)), shown)
      trial.chosen("D-25", () => {
        holds("the second call is refused", again.code > 0, again.code)
        same("what the second call prints", again.stdout, "")
      })
      const { env = {}, loggedInEnv = {} } = trial.config.cli ?? {}
      const named = Object.values({ ...env, ...loggedInEnv }).filter((path) => path.startsWith("/"))
      for (const path of [folder, home, ...named]) {
        const texts = await textsBelow(path).catch(() => [])
        holds(`it is not below ${path}`, !texts.some((text) => text.includes(secret)), "it is")
      }
      same("the project file", await readFile(join(folder, "service.json"), "utf8"), file)

      const args = ["keys", "jwt-mint", "--player", "ada"]
      const minted = await trial.cli.run(args, { folder, env: { SERVICE_JWT_SECRET: secret } })
      trial.chosen("D-25", () => {
        done("jwt-mint", minted)
        const [head = "", body = "", signature] = minted.stdout.trim().split(".")
        const expected = createHmac("sha256", secret).update(`${head}.${body}`).digest("base64url")
        same("the signature", signature, expected)
        const claims = Object(JSON.parse(Buffer.from(body, "base64url").toString()))
        same("iss and sub", [claims["iss"], claims["sub"]], [project.id, "ada"])
        const { iat, exp }: { readonly iat?: unknown; readonly exp?: unknown } = claims
        holds("it ends after it began", Number(exp) > Number(iat), { iat, exp })
      })
    }
  }
]
