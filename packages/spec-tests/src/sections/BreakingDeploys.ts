import { isRefused, isSuccess } from "../check/Answers.ts"
import type { Probe } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import type { CliRun } from "../trial/CliProbe.ts"
import { type RoomStage, stateOf, withRooms } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"
import { done, refused, versionOf } from "./resources/FileCommands.ts"
import type { Json } from "./Row.ts"
import { rowOf } from "./Section.ts"

// Deploys whose schema breaks with the one before: with the tool, and with rooms that are stored.

const timeoutMs = 240_000

type Kind = "plain" | "breaking"

/** A project of its own, and the two versions of its game in folders. */
const toolStage = async (trial: Trial) => {
  const project = await trial.project()
  const folder = (kind: Kind, keys: Readonly<Record<string, Json>> = {}): Promise<string> => {
    const file = JSON.stringify({ project: project.id, ...keys })
    return trial.cli.project({ kind, files: { "service.json": file } })
  }
  const run = (at: string, ...words: ReadonlyArray<string>): Promise<CliRun> =>
    trial.cli.runLoggedIn(words, { folder: at })
  const isVersion = async (what: string, version: number): Promise<void> =>
    same(`the version after ${what}`, await versionOf(project), version)
  return { folder, run, isVersion }
}

export const breakingNeedsFlag: Probe = {
  title: "a breaking schema is deployed with the flag and a migration file, and with nothing less",
  timeoutMs,
  run: async (trial) => {
    const { folder, run, isVersion } = await toolStage(trial)
    const flag = String(rowOf("statement", "version.breaking-needs-flag").is?.["flag"])
    done("the first deploy", await run(await folder("plain"), "deploy"))
    const next = await folder("breaking")
    refused("a breaking deploy", await run(next, "deploy"), [])
    refused("one with the flag and no migration", await run(next, "deploy", flag), [])
    await isVersion("both", 1)
    done("migrate create", await run(next, "migrate", "create"))
    await isVersion("migrate create", 1)
    refused("one with a migration and no flag", await run(next, "deploy"), [])
    await isVersion("a deploy without the flag", 1)
    done("a deploy with the flag and the migration", await run(next, "deploy", flag))
    await isVersion("it", 2)
  }
}

export const breaksWithoutFlags: Probe = {
  title: "preRelease true deploys a breaking schema without a flag; preRelease false refuses it",
  timeoutMs,
  run: async (trial) => {
    const { folder, run, isVersion } = await toolStage(trial)
    const on = { preRelease: true }
    done("the first deploy", await run(await folder("plain", on), "deploy"))
    done("a breaking deploy", await run(await folder("breaking"), "deploy"))
    await isVersion("it", 2)
    done("another one", await run(await folder("plain", on), "deploy"))
    await isVersion("another one", 3)
    const off = await folder("breaking", { preRelease: false })
    refused("one that turns it off", await run(off, "deploy"), [])
    await isVersion("the one that turns it off", 3)
  }
}

export const takesStrategyMigrate: Probe = {
  title: "with preRelease a breaking deploy takes the strategy that it has without one",
  timeoutMs,
  run: async (trial) => {
    const { folder, run, isVersion } = await toolStage(trial)
    const flag = String(rowOf("statement", "preRelease.default-strategy-migrate").is?.["flag"])
    const on = { preRelease: true }
    done("the first deploy", await run(await folder("plain", on), "deploy"))
    const next = await folder("breaking", on)
    const unknown = await run(next, "deploy", "--strategy", "nothing-of-the-kind")
    refused("a strategy that is none", unknown, [])
    await isVersion("it", 1)
    done("the strategy that is the default", await run(next, "deploy", ...flag.split(" ")))
    await isVersion("the strategy that is the default", 2)
  }
}

/** The project may be deployed with any schema from now on. */
const turnOn = async ({ project }: RoomStage): Promise<void> =>
  isSuccess(
    await project.ask("", { method: "PATCH", body: { name: project.name, preRelease: true } })
  )

const anew = { value: 0, created: 1 }

export const closesOlderRooms: Probe = {
  title: "a breaking deploy closes the rooms that are up, and clients come back to fresh ones",
  timeoutMs: 60_000,
  run: withRooms(async (stage, trial) => {
    await turnOn(stage)
    const client = await stage.client("up")
    await client.call("addDurably", { by: 7 })
    const before = await stateOf(client)
    await stage.deploy("breaking")
    await trial.until("the client was sent away", async () => (client.isOpen() ? null : true))
    const { value, created, version } = await stateOf(await stage.rejoin("up"))
    same("the state of the room", { value, created }, anew)
    holds("it is of a newer version", version > before.version, String(version))
  })
}

export const discardsAtWake: Probe = {
  title: "a room that slept through a breaking deploy starts cold",
  timeoutMs: 60_000,
  run: withRooms(async (stage) => {
    await turnOn(stage)
    await stage.played("slept", 5)
    await stage.deploy("breaking")
    const { value, created } = await stateOf(await stage.rejoin("slept"))
    same("the state of the room", { value, created }, anew)
  })
}

export const losesSaves: Probe = {
  title: "the saves of a room that starts anew are gone, and none can be restored",
  timeoutMs: 60_000,
  run: withRooms(async (stage) => {
    await turnOn(stage)
    const client = await stage.client("saved")
    await client.call("addDurably", { by: 5 })
    await client.call("save")
    const [saveId = ""] = await stage.saves("saved")
    isSuccess(await stage.bytes("saved", saveId))
    await client.leave()
    await stage.asleep("saved")
    await stage.deploy("breaking")
    const again = await stage.rejoin("saved")
    same("the state of the room", (await stateOf(again)).value, 0)
    const left = await stage.saves("saved")
    holds("the save is not in the list", !left.includes(saveId), left.join(", "))
    isRefused(await stage.bytes("saved", saveId))
    isRefused(await stage.restore("saved", saveId))
    await again.leave()
  })
}
