import { MiB, count, size } from "../limits/Limit.ts"

/** A bundle of room code. */
export const BundleLimits = {
  roomTypes: count("Room types in one deployment", {
    max: 64,
    per: "deployment",
    past: "E_BUNDLE_INVALID"
  }),
  migrations: count("Changes by migrations in one deployment (C-704)", {
    max: 4096,
    per: "deployment",
    past: "E_BUNDLE_INVALID"
  }),
  descriptorBytes: size("Encoded schema descriptor of one deployment", {
    max: 4 * MiB,
    per: "deployment",
    past: "E_BUNDLE_INVALID"
  }),
  engineName: size("Name and version of the physics library of a room type", {
    max: 64,
    per: "room type",
    past: "dropped silently"
  }),
  bundleBytes: size("Uploaded room bundle", {
    max: 32 * MiB,
    per: "deployment",
    past: "E_BUNDLE_TOO_LARGE"
  })
} as const
