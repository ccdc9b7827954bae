export {
  bundleRooms,
  endBundler,
  withBundler,
  type Bundle,
  type BundleOptions
} from "./bundle/Bundle.ts"
export { bundleProgram } from "./bundle/ProgramBundle.ts"
export { bundlePageFiles, type PageFiles } from "./bundle/PageFiles.ts"
export { bundlePageScript } from "./bundle/PageScript.ts"
export { BundleError } from "./bundle/BundleError.ts"
