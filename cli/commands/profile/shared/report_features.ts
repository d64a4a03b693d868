import type { DiagnosisResult } from "../../../../lib/auth/diagnose.ts";
import { storeFeatures } from "../../../../lib/auth/edit_profiles.ts";
import { findConfigDirectory } from "../../../../lib/auth/profiles.ts";
import { readTarget } from "../../../../lib/auth/settings.ts";
import { type FeatureTest, testFeatures, toSupportedFeatures } from "../../../../lib/auth/test_features.ts";
import { authOptions } from "../../../context.ts";
import { layOutPage } from "../../../view/page.ts";
import { formatDiagnosis } from "../../auth/shared/print_diagnosis.ts";
import type { CommandContext } from "../../command.ts";

/** Tests what the service of a working connection supports, prints that after the diagnosis, and stores it in the profile. */
export async function reportFeatures(context: CommandContext, diagnosis: DiagnosisResult): Promise<void> {
  const options = { ...authOptions(context), profile: diagnosis.profile };
  const { globals, io: { stdout }, note } = context;
  const isForPeople = !globals.isDataRequested && stdout.isTerminal();
  if (isForPeople) stdout.write(formatDiagnosis(diagnosis, stdout.columns()) + "\n");
  const features = await testFeatures(options);
  const { profile, baseUrl } = readTarget(options);
  const directory = findConfigDirectory();
  const isStored = directory !== undefined &&
    await storeFeatures(profile, baseUrl, toSupportedFeatures(features, new Date()), directory);
  if (!isForPeople) return await context.print({ ...diagnosis, features, stored: isStored });
  stdout.write(formatFeatures(features, stdout.columns()));
  note(
    isStored
      ? `Stored in the profile ${profile}. Commands rely on it for 30 days.`
      : "Not stored, because no profile names this service.",
  );
}

/** Formats the features of a service for people. */
function formatFeatures(features: readonly FeatureTest[], columns: number | undefined): string {
  const rows = features.map(({ feature, supported, reason }) => ({
    label: feature,
    value: reason === undefined ? supported : `${supported}: ${reason}`,
  }));
  return layOutPage([{ heading: "Supported, as far as reads can show it", rows }], { columns, color: false });
}
