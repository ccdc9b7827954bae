import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { keptRights } from "@atrium/actors/process/launcher/KeptRights"
import { expect, test } from "vitest"
import { parse } from "yaml"

import { composeFaults } from "./composeFaults.ts"
import { templateSources } from "./packages/Inputs.ts"

// No Docker engine runs where these tests run. So the files are held against the schema of the
// Compose specification (dclint ships it) and against what the repository itself says.

const root = join(import.meta.dirname, "..")
const textOf = (path: string): string => readFileSync(join(root, path), "utf8")
const compose = parse(textOf("docker-compose.yml"))
const dockerfile = textOf("Dockerfile")
const { dependencies, workspaces } = JSON.parse(textOf("package.json"))

test("[deployment.compose] docker-compose.yml fits the schema of the Compose specification", () => {
  expect(composeFaults(compose)).toEqual([])
})

test("[deployment.compose] the schema refuses what it should: a wrong key and a wrong type", () => {
  const { atrium } = compose.services
  const broken = (change: object) => ({
    ...compose,
    services: { atrium: { ...atrium, ...change } }
  })
  expect(composeFaults(broken({ stop_grace: "30s" }))).not.toEqual([])
  expect(composeFaults(broken({ read_only: [] }))).not.toEqual([])
})

test("[deployment.compose] PostgreSQL is exactly the embedded one, the image an exact tag", () => {
  const postgres = JSON.parse(textOf("packages/postgres/package.json"))
  const embedded = Object.values<string>(postgres.optionalDependencies)
  const versions = new Set(embedded.map((version) => version.replace(/\.0-beta\.\d+$/, "")))
  const [, version] = /^postgres:(\d+\.\d+)-\w+$/.exec(compose.services.postgres.image) ?? []
  expect([...versions]).toEqual([version])
})

test("[deployment.compose] the service starts after PostgreSQL, drains, and cannot gain rights", () => {
  const { atrium, postgres } = compose.services
  expect(atrium.depends_on.postgres.condition).toBe("service_healthy")
  expect(atrium.stop_grace_period).toBe("30s")
  expect(atrium.healthcheck.test.at(-1)).toContain("/ready")
  expect(postgres.healthcheck.test).toContain("pg_isready")
  expect(atrium.read_only).toBe(true)
  for (const service of [atrium, postgres]) {
    expect(service.security_opt).toContain("no-new-privileges:true")
    // What runs away in one of them ends there.
    expect([service.pids_limit, service.mem_limit, service.cpus]).toEqual([
      expect.any(Number),
      expect.stringMatching(/^\d+g$/),
      expect.any(Number)
    ])
  }
  expect(atrium.cap_drop).toEqual(["ALL"])
  const rights = keptRights.map((name) => name.toUpperCase())
  expect(atrium.cap_add.toSorted()).toEqual(rights.toSorted())
  // Every path that the service writes to is a volume or a tmpfs.
  expect(atrium.volumes).toContain(`data:${atrium.environment.ATRIUM_DATA}`)
  expect(Object.keys(compose.volumes).toSorted()).toEqual(["data", "postgres"])
})

test("[deployment.image] the image has the pinned Node, the launcher first and no npm in between", () => {
  expect(/^FROM node:([\d.]+)-\w+-slim$/m.exec(dockerfile)?.[1]).toBe(dependencies.node)
  // The launcher begins as root: it gives the service and each room a user without rights.
  expect(dockerfile).not.toMatch(/^USER /m)
  const command: ReadonlyArray<string> = JSON.parse(/^CMD (.+)$/m.exec(dockerfile)?.[1] ?? "[]")
  expect(command.slice(0, 2)).toEqual(["node", "packages/actors/src/process/launcher/main.ts"])
  expect(command.slice(1).filter((path) => !existsSync(join(root, path)))).toEqual([])
})

/** What the image copies out of the checkout; not what one of its stages copies from another. */
const copiedPaths = (text: string): ReadonlyArray<string> => {
  const lines = [...text.matchAll(/^COPY (?!--from=)(.+) \S+$/gm)]
  return [...new Set(lines.flatMap((match) => match[1]?.split(" ") ?? []))].toSorted()
}

test("[deployment.image] the npm packages are made in a stage of their own, and are in the image", () => {
  const [made = "", served = ""] = dockerfile.split(/^FROM .*slim$/m)
  expect(made).toContain("node scripts/packages.ts")
  expect(copiedPaths(made)).toContain("scripts")
  expect(served).toContain("COPY --from=packages /app/dist/packages dist/packages")
  // What makes them stays out: a service that finds it would make them anew.
  expect(copiedPaths(served)).not.toContain("scripts")
})

test("[deployment.image] every path that the image copies exists and is not ignored", () => {
  const copied = copiedPaths(dockerfile)
  const allowed = textOf(".dockerignore")
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1))
  expect([...copied, ...allowed].filter((path) => !existsSync(join(root, path)))).toEqual([])
  // Below a folder that is copied, an exception brings back what a pattern left out.
  const within = allowed.filter((path) => copied.some((folder) => path.startsWith(`${folder}/`)))
  const templateTests = globSync(templateSources, { cwd: join(root, "examples") })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => `examples/${path}`)
    .toSorted()
  expect(within).toEqual([
    ...templateTests,
    "packages/sdk/src/testing",
    "packages/sdk/src/client/testing"
  ])
  expect(copied).toEqual(allowed.filter((path) => !within.includes(path)).toSorted())
  // npm ci needs the package.json of every workspace.
  for (const workspace of workspaces) expect(copied).toContain(workspace.replace("/*", ""))
})
