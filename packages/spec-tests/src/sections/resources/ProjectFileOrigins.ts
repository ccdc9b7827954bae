import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { same, holds } from "../../check/Expect.ts"
import { roomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { projectFileHeading } from "../Headings.ts"
import { refusedJoin } from "../RefusedJoin.ts"
import { fileSyncRow, staticSiteRow } from "../RowKinds.ts"
import { section, tierA } from "../Section.ts"
import { done } from "./FileCommands.ts"
import { addsItsOrigin } from "./StaticSites.ts"
import { isSynced, SyncedProject } from "./SyncedKeys.ts"

const game = "https://game.example"
/** Origins that differ from it in no more than a character or a part. */
const near = [
  "http://game.example",
  "https://game.example:8443",
  "https://www.game.example",
  "https://game.example.org",
  "https://gamefexample",
  "https://localhost.example",
  "https://notlocalhost",
  "null"
]
const local = ["http://localhost", "https://localhost:5173", "http://site.localhost:8787"]

const listed = { features: ["cli", "origins", "projectFile", "projectFile.sync"] }

/** Line 143 of the specification: Project file `service.json`, origins. */
export const projectFileOriginsSection = section(projectFileHeading, {
  "origins.bare-origin": fileSyncRow(
    143,
    "each entry is a bare origin without path or trailing slash",
    { literalsOf: "file.validate.origins-entry", provedBy: "file.validate.origins-entry" }
  ),
  "origins.distinct-non-empty": fileSyncRow(143, "entries are distinct and non-empty", {
    literalsOf: "file.validate.origins-type",
    provedBy: "file.validate.origins-type"
  }),
  "origins.star": fileSyncRow(143, "`*` allows all", {
    ...listed,
    is: { all: "*" },
    provedBy: "origins.exact-compare#open"
  }),
  "origins.exact-compare": tierA(143, "compared exactly with the Origin header", {
    ...listed,
    decisions: ["D-30"],
    check: [
      {
        name: "open",
        title: "open endpoints answer pages of listed origins, to the letter, and of localhost",
        timeoutMs: 240_000,
        run: pagesAreCompared
      },
      {
        needs: ["fixture"],
        title: "a room lets pages of listed origins in, and of localhost, and closes to others",
        timeoutMs: 240_000,
        run: joinsAreCompared
      }
    ]
  }),
  "origins.localhost-always": tierA(143, "localhost is always allowed", {
    ...listed,
    decisions: ["D-30"],
    is: { host: "localhost" },
    provedBy: "origins.exact-compare"
  }),
  "origins.replaces-on-deploy": fileSyncRow(
    143,
    "a declared list replaces the stored one on each deploy, in any order",
    {
      check: isSynced("origins", {
        declared: [game, "http://game.example:8080"],
        reordered: ["http://game.example:8080", game],
        other: ["https://other.example"],
        empty: []
      })
    }
  ),
  "origins.first-deploy-no-prompt": fileSyncRow(
    143,
    "a declared list suppresses the production-origin question on the first deploy",
    {
      check: {
        title: "a first deploy with a declared list asks for nothing and stores the list",
        timeoutMs: 240_000,
        run: async (trial) => {
          const origins = [game]
          const folder = await trial.cli.project({
            files: { "service.json": JSON.stringify({ origins }) }
          })
          const stdin = "https://typed.example\n"
          const ran = await trial.cli.runLoggedIn(["deploy"], { folder, stdin })
          done("the first deploy", ran)
          same("its list", await originsOf(trial, await idIn(folder)), origins)
          holds("it says nothing of origins", !/origin/i.test(ran.stderr), ran.stderr)
        }
      }
    }
  ),
  "origins.static-adds-site": staticSiteRow(143, "deploy --static adds the site origin", {
    check: addsItsOrigin
  }),
  "origins.next-room-deploy-removes-site": staticSiteRow(
    143,
    "the next room deploy removes it unless listed",
    { provedBy: "origins.static-adds-site" }
  ),
  "origins.omitted-untouched": fileSyncRow(
    143,
    "omitted: only the first-deploy answer and the static site origin are added",
    {
      provedBy: "origins.replaces-on-deploy",
      check: {
        title: "a first deploy without a list, where nobody is asked, leaves every page in",
        timeoutMs: 240_000,
        run: async (trial) => {
          const fresh = await trial.project()
          const folder = await trial.cli.project()
          const ran = await trial.cli.runLoggedIn(["deploy"], { folder, stdin: "" })
          done("the first deploy", ran)
          const [made, untouched] = [
            await originsOf(trial, await idIn(folder)),
            await originsOf(trial, fresh.id)
          ]
          same("its list", made, untouched)
          trial.chosen("D-56", () => same("the list of a new project", untouched, ["*"]))
          trial.chosen("C-324", () => holds("it warns", /origin/i.test(ran.stderr), ran.stderr))
        }
      }
    }
  )
})

const idIn = async (folder: string): Promise<string> => {
  const file: unknown = JSON.parse(await readFile(join(folder, "service.json"), "utf8"))
  return String(Object(file)["project"])
}

const originsOf = async (trial: Trial, id: string): Promise<unknown> => {
  const path = `/v1/projects/${id}`
  const { json } = await trial.send({ method: "GET", path, bearer: trial.login(0) })
  return Object(json)["origins"]
}

async function pagesAreCompared(trial: Trial): Promise<void> {
  const synced = await SyncedProject.of(trial)
  const { id } = synced.project
  const asks = (origin: string | null) =>
    trial.send({
      method: "POST",
      path: "/v1/identity",
      body: trial.codecs.identityBody(id),
      headers: origin === null ? {} : { origin }
    })
  const answers = async (what: string, origins: ReadonlyArray<string | null>): Promise<void> => {
    for (const origin of origins) {
      const { status, headers } = await asks(origin)
      same(`${what}: whether ${origin} is let in`, status < 300, true)
      if (origin === null) continue
      const echoed = headers["access-control-allow-origin"]
      trial.chosen("D-30", () => same(`what ${origin} may read`, echoed, origin))
    }
  }
  const refuses = async (what: string, origins: ReadonlyArray<string>): Promise<void> => {
    for (const origin of origins) {
      const answer = await asks(origin)
      same(`${what}: whether ${origin} is let in`, answer.status < 300, false)
      trial.chosen("D-30", () => {
        const code = trial.codecs.error(answer)?.code
        same(`status and code for ${origin}`, [answer.status, code], [403, "E_ORIGIN"])
        const echoed = answer.headers["access-control-allow-origin"]
        same(`what ${origin} may read`, echoed, undefined)
      })
    }
  }
  await synced.deployed({ origins: [game] })
  await answers("one is listed", [game, null, ...local])
  await refuses("one is listed", near)
  const lobby = {
    method: "GET" as const,
    path: `/v1/lobby?project=${id}`,
    headers: { origin: "null" }
  }
  const seen = await trial.send(lobby)
  trial.chosen("D-30", () => same("the lobby for another page", seen.status, 403))
  const watch = await trial.send({
    method: "POST",
    path: "/v1/audience",
    body: { project: id, roomId: "nowhere" },
    headers: { origin: "null" }
  })
  const told = [watch.status, trial.codecs.error(watch)?.code]
  trial.chosen("C-400", () => same("a room that is not there, for it", told, [403, "E_ORIGIN"]))
  await synced.deployed({ origins: [] })
  await answers("none is listed", [null, ...local])
  await refuses("none is listed", [game, ...near.slice(0, 1)])
  await synced.deployed({ origins: ["*"] })
  await answers("all are listed", [game, ...near, ...local])
}

async function joinsAreCompared(trial: Trial): Promise<void> {
  const { project } = await roomStage(trial)
  const body = { name: project.name, origins: [game] }
  const set = await project.ask("", { method: "PATCH", body })
  trial.chosen("D-13", () => same("whether the list is set over HTTP", set.status, 200))
  for (const origin of [game, ...local.slice(0, 2)]) {
    const socket = await trial.socket({ project, room: "listed", origin })
    await socket.join()
    await socket.leave()
  }
  for (const origin of near.slice(0, 3)) {
    const refusal = await refusedJoin(await trial.socket({ project, room: "listed", origin }))
    trial.chosen("D-24", () =>
      same(`the end of a join from ${origin}`, [refusal.code, refusal.close], ["E_ORIGIN", 4403])
    )
  }
  const noPage = await trial.socket({ project, room: "listed" })
  await noPage.join()
  await noPage.leave()
}
