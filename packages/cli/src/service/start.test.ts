import { mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"

import { until } from "@atrium/domain/testing/Until"
import { describe, expect, it } from "vitest"

import { gameOfEachTest } from "../testing/EachTest.ts"
import { startCommand } from "../testing/RunCommand.ts"

const game = gameOfEachTest()

/** A folder that looks like a clone: its service prints its arguments and waits for the end. */
const makeClone = async (): Promise<string> => {
  const files = {
    "package.json": '{"name":"atrium","type":"module"}',
    "scripts/install.mjs": 'console.log("installed")',
    "packages/api/src/main.ts": `
      process.on("SIGTERM", () => process.exit(7))
      console.log(process.cwd(), process.argv.slice(2).join(" "))
      setInterval(() => {}, 1000)`
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(game.path, path)), { recursive: true })
    await writeFile(join(game.path, path), text)
  }
  await mkdir(join(game.path, "node_modules/.bin"), { recursive: true })
  await symlink(process.execPath, join(game.path, "node_modules/.bin/node"))
  return game.path
}

describe("atrium start", () => {
  it("[C-343] outside of a clone says what it needs", async () => {
    const { code, out, err } = await startCommand(["start"], { cwd: game.path, env: {} }).ended
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toContain(`${game.path}: is in no clone of Atrium`)
    expect(err).toContain("docker compose up")
    expect(err).toContain("ATRIUM_URL")
  })

  it("[C-343] installs and starts the service of the clone around it, and ends as that does", async () => {
    const clone = await makeClone()
    const running = startCommand(["start", "--", "--control-port", "0"], {
      cwd: join(clone, "packages/api"),
      env: {}
    })
    await until("the service runs", async () => running.out().includes("--control-port 0"))
    running.process.kill("SIGTERM")
    const { code, out } = await running.ended
    expect({ code, out }).toEqual({ code: 7, out: `installed\n${clone} --control-port 0\n` })
  })
})
