import { once } from "node:events"
import { mkdir, open, rm, symlink, truncate, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"

import { describe, expect, it } from "vitest"

import { gameOfEachTest } from "../testing/EachTest.ts"
import { walkSite } from "./SiteWalk.ts"

const game = gameOfEachTest()
const MiB = 1024 * 1024

const walk = async (dotfiles = false): Promise<ReadonlyArray<string>> => {
  const files = await walkSite({ root: join(game.path, "dist"), shown: "dist", dotfiles })
  return files.map(({ path }) => path)
}
const fault = (): Promise<string> =>
  walk().then(String, (error: unknown) => (error instanceof Error ? error.message : String(error)))
/** A file of a size that takes no place on the disk. */
const sparse = async (name: string, bytes: number): Promise<void> => {
  await game.write({ [name]: "" })
  await truncate(join(game.path, name), bytes)
}

describe("walkSite", () => {
  it("[file.static.all-public] finds every file, in the order of the paths, with / between parts", async () => {
    await game.write({ "dist/index.html": "", "dist/b/c/d.js": "", "dist/a b.txt": "", x: "" })
    expect(await walk()).toEqual(["a b.txt", "b/c/d.js", "index.html"])
  })

  const private_ = [
    ".env",
    ".env.local",
    ".envrc",
    ".ENV",
    "deep/er/.env.production",
    ".git/config",
    "deep/.git/HEAD",
    ".Git/x",
    "node_modules/a/index.js",
    "deep/node_modules/b.js"
  ]
  const hidden = [".htaccess", ".well-known/security.txt", "deep/.hidden"]
  it("[file.static.never-env] [file.static.never-git] [file.static.never-node_modules] [file.static.hidden-skipped] [file.static.include-dotfiles] finds hidden files when asked, private ones never", async () => {
    const names = [...private_, ...hidden, "index.html", "my_node_modules.js", "git", "a.env"]
    await game.write(Object.fromEntries(names.map((name) => [`dist/${name}`, "x"])))
    const open = ["a.env", "git", "index.html", "my_node_modules.js"]
    expect(await walk()).toEqual(open)
    expect(await walk(true)).toEqual([...hidden, ...open].toSorted())
  })

  it("[C-370] refuses a symbolic link wherever it leads, and looks at none with a private name", async () => {
    await game.write({ "dist/index.html": "", "secret.txt": "secret" })
    await mkdir(join(game.path, "dist/deep"))
    const refused = /^dist\/deep\/link: is a symbolic link, and links are not followed/
    for (const target of ["../../secret.txt", "../index.html", "/etc", "gone"]) {
      await symlink(target, join(game.path, "dist/deep/link"))
      expect(await fault()).toMatch(refused)
      await rm(join(game.path, "dist/deep/link"))
    }
    await symlink("..", join(game.path, "dist/node_modules"))
    await symlink("..", join(game.path, "dist/.cache"))
    expect(await walk()).toEqual(["index.html"])
    await rm(join(game.path, "dist"), { recursive: true })
    await symlink(".", join(game.path, "dist"))
    expect(await fault()).toMatch(/^dist: is a symbolic link/)
  })

  it("[C-370] refuses what is neither a file nor a folder, and names that no address can have", async () => {
    await game.write({ "dist/index.html": "" })
    const socket = createServer().listen(join(game.path, "dist/socket"))
    await once(socket, "listening")
    expect(await fault()).toBe("dist/socket: is neither a file nor a folder; remove it")
    await once(socket.close(), "close")
    await writeFile(join(game.path, "dist/a\\b"), "")
    expect(await fault()).toBe("dist/a\\b: has a backslash")
    await rm(join(game.path, "dist/a\\b"))
    await writeFile(join(game.path, "dist/a\nb"), "")
    expect(await fault()).toBe("dist/a\u{fffd}b: has a control character")
  })

  it("[C-370] refuses a folder that is missing, empty or a file", async () => {
    expect(await fault()).toBe("dist: there is no such folder; build the page first")
    await game.write({ "dist/.env": "x", "dist/node_modules/a.js": "x" })
    expect(await fault()).toBe("dist: holds no file to publish")
    await rm(join(game.path, "dist"), { recursive: true })
    await game.write({ dist: "" })
    expect(await fault()).toBe("dist: is no folder")
  })

  it("[C-370] takes a file of 25 MiB, and not one byte more", async () => {
    await sparse("dist/big.bin", 25 * MiB)
    expect(await walk()).toEqual(["big.bin"])
    await sparse("dist/big.bin", 25 * MiB + 1)
    expect(await fault()).toBe(
      "dist/big.bin: has 26214401 bytes, and a file of a site has at most 26214400"
    )
  })

  it("[C-370] takes 512 MiB in all, and not one byte more", async () => {
    for (let at = 0; at < 32; at++) await sparse(`dist/${at}.bin`, 16 * MiB)
    expect(await walk()).toHaveLength(32)
    await game.write({ "dist/one": "x" })
    expect(await fault()).toBe("dist: holds more than 536870912 bytes in all")
  })

  it("[C-370] takes 10,000 files, and not one more", async () => {
    const make = async (name: string): Promise<void> =>
      (await open(join(game.path, name), "w")).close()
    for (let folder = 0; folder < 100; folder++) {
      await mkdir(join(game.path, `dist/${folder}`), { recursive: true })
      await Promise.all(Array.from(Array(100), (_, at) => make(`dist/${folder}/${at}`)))
    }
    expect(await walk()).toHaveLength(10_000)
    await make("dist/more")
    expect(await fault()).toBe("dist: holds more than 10000 files")
  })
})
