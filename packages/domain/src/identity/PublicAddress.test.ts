import { expect, test } from "vitest"

import { isPublicAddress } from "./PublicAddress.ts"

const listed = (...lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap((line) => line.split(" "))

test.each(
  listed("8.8.8.8 1.1.1.1 172.15.255.255 172.32.0.1 2606:4700::1111 2a00:1450::1 2001:200::1")
)("[C-542] %s is a public address", (address) => expect(isPublicAddress(address)).toBe(true))

test.each(
  listed(
    "127.0.0.1 127.255.255.254 0.0.0.0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1",
    "169.254.169.254 100.64.0.1 192.0.2.1 198.18.0.1 224.0.0.1 255.255.255.255",
    ":: ::1 fe80::1 fe80::1%eth0 fc00::1 fd12::1 ff02::1 64:ff9b::7f00:1",
    "::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1 ::7f00:1",
    "2002:7f00:1:: 2001:0:7f00:1:: 2001:db8::1 localhost 127.1 0x7f000001 "
  )
)("[C-542] %j is none", (address) => expect(isPublicAddress(address)).toBe(false))
