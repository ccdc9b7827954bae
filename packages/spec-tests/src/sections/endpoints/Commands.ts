import { createHmac } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { same, holds, matches } from "../../check/Expect.ts"
import type { CliRun } from "../../trial/CliProbe.ts"
import { controlPlane } from "../../trial/ControlPlane.ts"
import { listen, outsideAddress } from "../../trial/Listener.ts"
import { done } from "../resources/FileCommands.ts"
import { toolRow } from "../RowKinds.ts"
import { section, tierB } from "../Section.ts"
import { dayMs, secondMs } from "../Units.ts"
import {
  someKey,
  listOfRooms,
  project,
  row,
  namesKeyOnly,
  roomOf,
  jsonOf,
  keyRows,
  isAlone,
  claimsOf,
  secretForm,
  textsBelow
} from "./CommandsProbes.ts"

/** Lines 274 to 283 of the specification: Command-line equivalents. */
export const commandsSection = section("Endpoints / Command-line equivalents", {
  "cli.rooms.list": toolRow(274, "rooms --idle --idle-longer-than lists rooms", {
    decisions: ["D-41", "T-11"],
    is: { command: "rooms --idle --idle-longer-than <duration>" },
    check: {
      title: "rooms lists by the filters, with the key of SERVICE_API_KEY and never without one",
      timeoutMs: 180_000,
      run: async (trial) => {
        const key = await someKey(trial)
        const many = Array.from({ length: 60 }, (_, at) => ({ ...row, roomId: `room-${at}-of-60` }))
        const answer = () => ({ body: many })
        const { port, arrived } = await listen(trial, { host: "127.0.0.1", answer })
        const url = `http://localhost:${port}`
        const args = ["rooms", "--idle", "--idle-longer-than", "36h", "--project", project]
        const env = { SERVICE_API_KEY: key }
        const listed = await trial.cli.run([...args, "--url", url], { env })
        same("the exit code", listed.code, 0)
        const unseen = many.filter(({ roomId }) => !listed.stdout.includes(roomId))
        same("rooms that are not shown", unseen, [])
        const json = await trial.cli.run([...args, "--url", url, "--json"], { env })
        trial.chosen("D-41", () => same("--json", jsonOf(json.stdout), many))
        const [request] = arrived
        const asked = new URL(request?.path ?? "/", url)
        same(
          "the route",
          `${request?.method} ${asked.pathname}`,
          `GET /v1/projects/${project}/rooms`
        )
        same("idle-longer-than", asked.searchParams.get("idle-longer-than"), "36h")
        trial.chosen("T-11", () => same("active", asked.searchParams.get("active"), "false"))
        namesKeyOnly("the credential", arrived, key)
        const refused = await trial.cli.run([...args, "--url", url])
        holds("refused without a key", refused.code > 0, refused.code)
        matches("what it says", refused.stderr, /SERVICE_API_KEY/)
        same("requests without a key", arrived.length, 2)
      }
    }
  }),
  "cli.rooms.get": toolRow(275, "rooms get reads one", {
    decisions: ["D-41"],
    is: { command: "rooms get <roomId>" },
    check: {
      title: "rooms get shows a room, rooms set sets and clears its retention",
      needs: ["fixture"],
      timeoutMs: 180_000,
      run: async (trial) => {
        const { rooms, detail } = await roomOf(trial)
        const set = await rooms("set", "arena", "--retention", "30d")
        done("setting the retention", set)
        same("the override that was set", (await detail())["retentionOverride"], "30d")
        const got = await rooms("get", "arena")
        done("reading", got)
        const seen = await detail()
        for (const shown of ["arena", String(seen["type"]), "30d"]) {
          holds(`${shown} is shown`, got.stdout.includes(shown), got.stdout)
        }
        const json = await rooms("get", "arena", "--json")
        trial.chosen("D-41", () => {
          const moving = { lastSeen: null, deletesAt: null, stateBytes: null, saves: null }
          same("--json", { ...jsonOf(json.stdout), ...moving }, { ...seen, ...moving })
        })
        const forever = await rooms("set", "arena", "--retention", "forever")
        trial.chosen("T-09", () => done("setting it to forever", forever))
        const kept = (await detail())["retentionOverride"]
        trial.chosen("T-09", () => same("the override that keeps", kept, "forever"))
        const bad = await rooms("set", "arena", "--retention", "soon")
        holds("no duration is refused", bad.code > 0, bad.code)
        same("the override after it", (await detail())["retentionOverride"], kept)
        const none = await rooms("get", "nobody-was-here")
        const usage = await rooms("get")
        trial.chosen("D-41", () => {
          same("exit codes of a refusal and of a wrong use", [none.code, usage.code], [1, 2])
          same("what they print beside the error", [none.stdout, usage.stdout], ["", ""])
        })
        const cleared = await rooms("set", "arena", "--retention", "clear")
        done("clearing the retention", cleared)
        same("the override that was cleared", (await detail())["retentionOverride"], null)
      }
    }
  }),
  "cli.rooms.set-retention": toolRow(276, "rooms set --retention sets or clears", {
    decisions: ["D-41", "T-09"],
    is: { command: "rooms set <roomId> --retention <duration or clear>" },
    provedBy: "cli.rooms.get"
  }),
  "cli.rooms.delete-force": toolRow(277, "rooms delete --force forces", {
    decisions: ["D-41"],
    is: { command: "rooms delete <roomId> --force" },
    provedBy: "cli.rooms.saves"
  }),
  "cli.api-keys.mint": toolRow(278, "api-keys mint prints the secret once", {
    decisions: ["D-41", "T-10"],
    is: { command: "api-keys mint --scopes <scope> --label <label>" },
    check: {
      title: "api-keys mint prints a secret once, list shows the key without it, revoke ends it",
      timeoutMs: 180_000,
      run: async (trial) => {
        const project = await trial.project()
        const apiKeys = (...args: ReadonlyArray<string>): Promise<CliRun> =>
          trial.cli.runLoggedIn(["api-keys", ...args, "--project", project.id])
        const minted = await apiKeys("mint", "--scopes", "rooms:read", "--label", "conformance cli")
        done("minting", minted)
        const [secret = ""] = secretForm.exec(minted.stdout) ?? []
        isAlone(trial, secret, minted)
        const listRooms = () => project.ask("/rooms", { bearer: secret })
        same("what the key may do", (await listRooms()).status, 200)
        const [{ label, scopes, keyId } = {}] = await keyRows(project)
        same("the key", { label, scopes }, { label: "conformance cli", scopes: ["rooms:read"] })
        done("minting", await apiKeys("mint", "--scopes", "rooms:write", "--label", "writer"))
        const both = (await keyRows(project)).map((key) => key["scopes"])
        same("the scopes of the other key and of this one", both, [["rooms:write"], scopes])

        const listed = await apiKeys("list")
        done("listing", listed)
        const game = JSON.stringify({ project: project.id })
        const files = { "service.json": '{"project":"p_0000000000000000"}', "game.json": game }
        const folder = await trial.cli.folder(files)
        const named = await trial.cli.runLoggedIn(["api-keys", "list", "-c", "game.json"], {
          folder
        })
        trial.chosen("T-10", () => {
          done("listing with -c", named)
          holds("the key is listed", named.stdout.includes(String(keyId)), named.stdout)
        })
        for (const text of [String(keyId), "rooms:read"]) {
          holds(`${text} is listed`, listed.stdout.includes(text), listed.stdout)
        }
        const shown = listed.stdout + listed.stderr
        holds("no secret is listed", !shown.includes(secret.slice(-43)), shown)

        done("revoking", await apiKeys("revoke", String(keyId)))
        await trial.until("the key is refused", async () =>
          (await listRooms()).status === 401 ? true : null
        )
        const rows = await keyRows(project)
        const all = (await apiKeys("list")).stdout
        same(
          "keys that are not listed after it",
          rows.filter((key) => !all.includes(String(key["keyId"]))),
          []
        )
        const json = await apiKeys("list", "--json")
        const none = await apiKeys("revoke", "key_0000000000000000")
        trial.chosen("D-41", () => same("--json", jsonOf(json.stdout), rows))
        trial.chosen("D-41", () => same("the exit code for a key that is not there", none.code, 1))
      }
    }
  }),
  "cli.api-keys.list": toolRow(279, "api-keys list", {
    decisions: ["D-41"],
    is: { command: "api-keys list" },
    provedBy: "cli.api-keys.mint"
  }),
  "cli.api-keys.revoke": toolRow(279, "api-keys revoke", {
    decisions: ["D-41"],
    is: { command: "api-keys revoke <keyId>" },
    provedBy: "cli.api-keys.mint"
  }),
  "cli.rooms.saves": tierB(280, "rooms saves lists generations", {
    probe: ["cli"],
    features: ["cli"],
    decisions: ["D-41"],
    is: { command: "rooms saves" },
    check: {
      title:
        "rooms saves lists, restore queues, delete refuses an awake room and --force deletes it",
      timeoutMs: 180_000,
      run: async (trial) => {
        const { project, socket, rooms, detail } = await roomOf(trial)
        await socket.call("add", { by: 1 })
        await socket.call("save")
        const [newest]: ReadonlyArray<unknown> = Object(
          (await project.ask("/rooms/arena/saves")).json
        )
        const saveId = String(trial.codecs.saveId(newest))
        const saves = await rooms("saves", "arena")
        done("listing saves", saves)
        holds("the save is shown", saves.stdout.includes(saveId), saves.stdout)

        const refused = await rooms("delete", "arena")
        holds("the delete of an awake room is refused", refused.code > 0, refused.code)
        trial.chosen("D-41", () => same("the exit code of a refusal", refused.code, 1))
        matches("what it says", refused.stderr, /E_ROOM_IN_USE/)
        same("the room is there", (await detail())["roomId"], "arena")

        const forced = await rooms("delete", "arena", "--force")
        done("the forced delete", forced)
        same("the close code of the client", (await socket.closed).code, 4291)
        const gone = await project.ask("/rooms/arena")
        same("the room is gone", gone.status, 404)

        const again = await trial.socket({ project, room: "arena" })
        await again.join()
        await again.call("add", { by: 2 })
        await again.call("save")
        await again.call("add", { by: 5 })
        await again.call("save")
        const { json } = await project.ask("/rooms/arena/saves")
        const kept = (Array.isArray(json) ? json : []).map((item) => trial.codecs.saveId(item))
        same("two saves", kept.length, 2)
        const listed = (await rooms("saves", "arena")).stdout
        const [newestAt = -1, oldestAt = -1] = kept.map((id) => listed.indexOf(String(id)))
        holds("newest first", newestAt >= 0 && newestAt < oldestAt, listed)
        const asJson = await rooms("saves", "arena", "--json")
        trial.chosen("D-41", () => same("--json", jsonOf(asJson.stdout), json))
        const restore = await rooms("restore", "arena", String(kept.at(-1)))
        done("the restore", restore)
        await again.closed
        await trial.until("the restored state", async () => {
          const reader = await trial.socket({ project, room: "arena" })
          const joined = await reader.join().catch(() => null)
          if (joined === null) return null
          const state = Object(await reader.call("read"))
          await reader.leave()
          return state["value"] === 2 ? true : null
        })
      }
    }
  }),
  "cli.rooms.restore": tierB(280, "rooms restore queues a restore", {
    probe: ["cli"],
    features: ["cli"],
    decisions: ["D-41"],
    is: { command: "rooms restore" },
    provedBy: "cli.rooms.saves"
  }),
  "cli.keys.jwt-secret": toolRow(281, "keys jwt-secret prints the signing secret once", {
    decisions: ["D-41"],
    is: { command: "keys jwt-secret" },
    check: {
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
        isAlone(trial, secret, made)
        const again = await trial.cli.runLoggedIn(argv, { folder, home })
        const shown = again.stdout + again.stderr
        holds("the second call does not show it", !shown.includes(secret.slice(-43)), shown)
        trial.chosen("D-25", () => {
          holds("the second call is refused", again.code > 0, again.code)
          same("what the second call prints", again.stdout, "")
        })
        const { env = {}, loggedInEnv = {} } = trial.config.cli ?? {}
        const named = Object.values({ ...env, ...loggedInEnv }).filter((path) =>
          path.startsWith("/")
        )
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
          const expected = createHmac("sha256", secret)
            .update(`${head}.${body}`)
            .digest("base64url")
          same("the signature", signature, expected)
          same("the algorithm", claimsOf(head)["alg"], "HS256")
          const { iat, exp, jti, iss, sub, aud, role, room } = claimsOf(body)
          same("iss and sub", [iss, sub], [project.id, "ada"])
          same("what it is for", { aud, role, room }, { aud: "rooms", role: "player", room: "*" })
          holds("it is one of a kind", typeof jti === "string" && jti !== "", jti)
          const lastsS = Number(exp) - Number(iat)
          holds("it lasts a day at most", lastsS > 0 && lastsS <= dayMs / secondMs, { iat, exp })
        })
      }
    }
  }),
  "cli.keys.jwt-secret.not-on-disk": toolRow(281, "the signing secret is never written to disk", {
    provedBy: "cli.keys.jwt-secret"
  }),
  "cli.rooms.env-key": toolRow(283, "rooms commands read SERVICE_API_KEY", {
    is: { variable: "SERVICE_API_KEY" },
    provedBy: "cli.rooms.list"
  }),
  "cli.key-hosts.allowed": toolRow(
    283,
    "the key goes to base_url, localhost, a logged-in control plane, or --url",
    {
      is: { flag: "--url" },
      provedBy: "cli.key-hosts.env-refused",
      check: {
        title:
          "the key goes to a control plane that is logged in to; login and whoami read no file",
        timeoutMs: 180_000,
        run: async (trial) => {
          const host = outsideAddress()
          const plane = await listen(trial, {
            host,
            answer: controlPlane(trial.login(0), listOfRooms)
          })
          const url = `http://${host}:${plane.port}`
          const home = await trial.cli.folder()
          const folder = await trial.cli.folder({ "service.json": "{" })
          const whoami = await trial.cli.runLoggedIn(["whoami"], { folder })
          same("the exit code of whoami", whoami.code, 0)
          const login = await trial.cli.run(["login", "--url", url], { home, folder })
          trial.chosen("D-23", () => same("the exit code of login", login.code, 0))
          if (login.code !== 0) return
          const key = await someKey(trial)
          const before = plane.arrived.length
          const env = { SERVICE_API_KEY: key, SERVICE_CONTROL_URL: url }
          const listed = await trial.cli.run(["rooms", "--project", project], { home, env })
          same("the exit code of rooms", listed.code, 0)
          namesKeyOnly("what came to the control plane", plane.arrived.slice(before), key)
          const beside = await listen(trial, { host, answer: listOfRooms })
          const besideUrl = `http://${host}:${beside.port}`
          const refused = await trial.cli.run(["rooms", "--project", project], {
            home,
            env: { ...env, SERVICE_CONTROL_URL: besideUrl }
          })
          holds("refused for another port of that host", refused.code > 0, refused.code)
          same("what came to that port", beside.arrived, [])
        }
      }
    }
  ),
  "cli.key-hosts.env-refused": toolRow(283, "a host only from SERVICE_CONTROL_URL is refused", {
    is: { variable: "SERVICE_CONTROL_URL" },
    check: {
      title:
        "the key goes to localhost and to --url, and to no host that only the environment names",
      timeoutMs: 180_000,
      run: async (trial) => {
        const key = await someKey(trial)
        const near = await listen(trial, { host: "127.0.0.1", answer: listOfRooms })
        const host = outsideAddress()
        const far = await listen(trial, { host, answer: listOfRooms })
        const farUrl = `http://${host}:${far.port}`
        const args = ["rooms", "--project", project]
        const env = (url: string) => ({ SERVICE_API_KEY: key, SERVICE_CONTROL_URL: url })

        const nearUrl = `http://localhost:${near.port}`
        const toLocalhost = await trial.cli.run(args, { env: env(nearUrl) })
        same("the exit code for localhost", toLocalhost.code, 0)
        namesKeyOnly("what came to localhost", near.arrived, key)

        const refused = await trial.cli.run(args, { env: env(farUrl) })
        holds("refused for a host of the environment", refused.code > 0, refused.code)
        matches("what it says", refused.stderr, /SERVICE_CONTROL_URL/)
        same("what came to that host", far.arrived, [])
        const like = await trial.cli.run(args, { env: env("http://localhost.example") })
        matches("what it says of a name like localhost", like.stderr, /SERVICE_CONTROL_URL/)

        const named = [...args, "--url", farUrl]
        const toNamed = await trial.cli.run(named, { env: env(nearUrl) })
        same("the exit code for --url", toNamed.code, 0)
        namesKeyOnly("what came to the host of --url", far.arrived, key)
      }
    }
  })
})
