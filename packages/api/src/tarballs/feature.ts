import { defineFeature } from "../defineFeature.ts"
import { TarballPages } from "./TarballPages.ts"
import { Tarballs } from "./Tarballs.ts"

export const feature = defineFeature({
  noun: "tarballs",
  pages: TarballPages,
  layers: Tarballs.layer
})
