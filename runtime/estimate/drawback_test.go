package estimate_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// Numbers of different values in data of others.
var (
	// batches are those of 216 strengths of carbon fabric (carbon.fabric of the R package cmstatr 0.9.1): all rows are on three values.
	batches = map[float64]float64{1: 72, 2: 72, 3: 72}
	// scores are those of 30 pupils in a test (Tests of the R package sem 3.1.15).
	scores = map[float64]float64{4: 1, 10: 1, 13: 3, 14: 4, 15: 4, 16: 1, 17: 1, 18: 2, 19: 1, 20: 1, 21: 1, 22: 4, 23: 1, 24: 3, 25: 1, 28: 1}
	// effects are those of a treatment on 111 people (mtept of the R package multcomp 1.4.22).
	effects = map[float64]float64{1: 23, 2: 26, 3: 24, 4: 24, 5: 8, 6: 6}
	// items are those of 4,000 people to a question (q_2745 of spi of the R package psychTools 2.2.9).
	items = map[float64]float64{1: 35, 2: 118, 3: 291, 4: 1112, 5: 1375, 6: 1069}
	// intervals are days between cases of measles in Hagelloch, 188 of them (hagelloch.df of the R package surveillance 1.20.3).
	intervals = map[float64]float64{0: 4, 7: 4, 8: 19, 9: 32, 10: 50, 11: 35, 12: 25, 13: 11, 14: 5, 15: 2, 16: 1}
	// seeds are those that were left in 160 places (SeedPred_wide of the R package emdbook 1.3.12).
	seeds = map[float64]float64{0: 106, 1: 7, 2: 6, 3: 6, 4: 12, 5: 23}
	// treatments are those of 508 people (CHAIN of the R package mi 1.1).
	treatments = map[float64]float64{0: 231, 1: 117, 2: 160}
	// kicks are deaths by horse kicks in 280 years of corps of the Prussian army (VonBort of the R package vcd 1.4.11).
	kicks = map[float64]float64{0: 144, 1: 91, 2: 32, 3: 11, 4: 2}
	// stamps are those of which so many were counted of 76 thicknesses (stamp of the R package locfit 1.5.9.7).
	stamps = map[float64]float64{0: 14, 1: 10, 2: 9, 3: 9, 4: 3, 5: 4, 6: 2, 7: 6, 8: 1, 9: 2, 10: 2, 11: 3, 15: 2, 18: 2, 20: 2, 23: 1, 26: 1, 32: 1, 37: 1, 42: 1}
	// saturations are carbon monoxide in the breath of 55 smokers (Smoking of the R package ipred 0.9.13).
	saturations = map[float64]float64{28: 1, 34: 1, 42: 1, 43: 1, 46: 2, 50: 1, 53: 2, 54: 1, 55: 1, 56: 2, 57: 1, 59: 1, 61: 2, 66: 2, 69: 1, 70: 1, 71: 2, 72: 1, 73: 1,
		75: 1, 76: 1, 77: 1, 79: 1, 80: 1, 81: 1, 84: 3, 85: 1, 86: 2, 87: 1, 88: 1, 91: 2, 94: 1, 95: 1, 96: 1, 97: 1, 100: 2, 103: 1, 108: 1, 109: 2, 119: 1, 120: 1,
		121: 1, 155: 1}
)

// Of counts that are not overdispersed, or in part, components of a mixture of negative binomials are Poisson distributions, at infinity: it is said which, and the
// likelihood is that of these. It was that of wherever a run was when s came to 1, with the verdict that this is a maximum, or that it failed. What is
// below so many components is what more have at least.
func TestPoissonComponents(t *testing.T) {
	for _, c := range []struct {
		name       string
		values     map[float64]float64
		components int
		least      float64 // a little below the log-likelihood at infinity
	}{
		{"seven of each", map[float64]float64{1: 7, 2: 7, 3: 7}, 2, -30.2823},
		{"batches", batches, 2, -311.4738},
		{"batches", batches, 3, -311.4738},
		{"scores", scores, 2, -90.7942},
		{"effects", effects, 2, -197.3171},
		{"effects", effects, 3, -197.3171},
		{"items", items, 2, -7333.52},
		{"items", items, 3, -7333.52},
		{"intervals", intervals, 3, -428.648},
		{"seeds", seeds, 2, -201.873},
		{"seeds", seeds, 3, -201.873},
		{"treatments", treatments, 2, -610.880},
		{"treatments", treatments, 3, -610.880},
		{"answers", answers, 2, -5376.456},
		{"answers", answers, 3, -5376.456},
		{"heights", heights, 2, -735.995},
		{"heights", heights, 3, -735.995},
		{"volumes", volumes, 3, -1184.618},
		{"kicks", kicks, 3, -313.536},
		{"saturations", saturations, 3, -251.788},
		{"residents", residents, 2, -2638.2751},
		{"binomial, beyond digits", map[float64]float64{0: 13, 1: 17, 2: 38, 3: 22, 4: 8, 5: 2}, 3, -161.4327},
		{"of a thousand, beyond digits", map[float64]float64{0: 110, 1: 253, 2: 297, 3: 221, 4: 91, 5: 19, 6: 9}, 3, -1638.8541},
	} {
		rep, err := estimate.Find(t.Context(), occurring(t, "negbinmix", c.values, c.components), estimate.Settings{Components: c.components})
		switch {
		case err != nil:
			t.Errorf("%s, %d components: %v", c.name, c.components, err)
		case rep.Status != runtime.AtInfinity || !strings.Contains(rep.Message, "r of component") || !math.IsNaN(float64(rep.AIC)):
			t.Errorf("%s, %d components: %v: %s, AIC %v", c.name, c.components, rep.Status, rep.Message, rep.AIC)
		case !(float64(rep.LogLikelihood) > c.least):
			t.Errorf("%s, %d components: %v, want %v", c.name, c.components, rep.LogLikelihood, c.least)
		}
	}
}

// residents are 462 ages in months of people in a retirement centre (Hyde 1977, channing of R's KMsurv).
var residents = map[float64]float64{
	777: 1, 781: 1, 798: 1, 804: 2, 812: 1, 819: 1, 821: 1, 822: 1, 824: 1, 825: 1, 829: 1, 830: 1, 836: 1, 840: 1, 843: 1, 845: 1, 848: 2, 854: 1,
	857: 1, 860: 1, 861: 2, 866: 1, 868: 1, 869: 1, 870: 2, 872: 2, 873: 1, 874: 1, 875: 1, 876: 2, 882: 1, 883: 1, 885: 1, 888: 1, 891: 2, 892: 1,
	893: 2, 894: 1, 895: 3, 897: 2, 898: 2, 899: 1, 901: 1, 904: 1, 905: 5, 906: 2, 907: 1, 908: 2, 909: 1, 911: 3, 912: 4, 913: 1, 914: 2, 915: 1,
	916: 1, 917: 1, 918: 1, 919: 2, 922: 1, 923: 1, 924: 1, 925: 1, 926: 4, 927: 4, 928: 2, 929: 1, 930: 2, 931: 1, 932: 5, 933: 1, 934: 2, 935: 1,
	936: 2, 938: 3, 939: 2, 940: 3, 941: 1, 942: 1, 943: 3, 944: 5, 945: 3, 946: 1, 947: 1, 948: 4, 950: 2, 951: 1, 952: 2, 953: 3, 954: 2, 955: 3,
	956: 1, 957: 5, 958: 2, 959: 4, 960: 2, 961: 2, 962: 1, 963: 2, 964: 1, 965: 2, 966: 3, 967: 1, 969: 3, 970: 3, 971: 3, 972: 1, 973: 3, 975: 3,
	976: 4, 977: 3, 978: 2, 979: 3, 981: 1, 982: 3, 983: 3, 984: 2, 985: 5, 986: 2, 987: 1, 988: 2, 989: 4, 990: 4, 991: 2, 992: 3, 993: 4, 994: 4,
	995: 3, 996: 6, 997: 1, 998: 3, 999: 1, 1000: 2, 1001: 4, 1002: 1, 1003: 2, 1004: 2, 1005: 4, 1006: 6, 1008: 2, 1009: 2, 1010: 4, 1011: 3, 1012: 8,
	1013: 3, 1014: 4, 1015: 4, 1016: 2, 1017: 1, 1018: 3, 1019: 6, 1020: 3, 1021: 1, 1022: 2, 1023: 5, 1024: 2, 1025: 1, 1027: 2, 1028: 1, 1029: 3,
	1030: 2, 1031: 5, 1032: 1, 1033: 3, 1034: 1, 1035: 1, 1036: 3, 1037: 1, 1038: 1, 1040: 4, 1041: 3, 1042: 2, 1043: 4, 1044: 4, 1045: 1, 1047: 3,
	1049: 1, 1050: 1, 1051: 1, 1053: 2, 1054: 2, 1055: 2, 1056: 2, 1057: 1, 1058: 1, 1059: 2, 1060: 2, 1061: 1, 1062: 1, 1063: 2, 1064: 2, 1065: 1,
	1068: 2, 1070: 2, 1071: 2, 1072: 2, 1073: 3, 1074: 1, 1080: 2, 1083: 1, 1084: 1, 1085: 4, 1086: 1, 1088: 1, 1089: 1, 1091: 1, 1093: 2, 1094: 2,
	1097: 1, 1102: 1, 1105: 2, 1106: 1, 1107: 1, 1109: 1, 1114: 1, 1115: 1, 1118: 1, 1119: 1, 1122: 1, 1128: 1, 1131: 1, 1132: 1, 1134: 1, 1139: 1,
	1142: 1, 1147: 1, 1152: 1, 1153: 1, 1172: 2, 1186: 1, 1192: 1, 1200: 2, 1207: 1,
}

// Where all components are overdispersed nothing is at infinity, and where they are at a maximum that is not much lower than what there is with a
// Poisson component, it is the maximum that is reported, and by how much it is lower.
func TestNoPoissonComponents(t *testing.T) {
	for _, c := range []struct {
		name   string
		values map[float64]float64
		higher bool
	}{
		{"stamps", stamps, false},
		{"saturations", saturations, true},
	} {
		rep, err := estimate.Find(t.Context(), occurring(t, "negbinmix", c.values, 2), estimate.Settings{Components: 2})
		if err != nil || !rep.Converged || math.IsNaN(float64(rep.AIC)) {
			t.Errorf("%s: %v, %v", c.name, err, rep)
			continue
		}
		warned := strings.Contains(strings.Join(rep.Warnings, "\n"), "the likelihood has no global maximum: as r of component")
		if warned != c.higher {
			t.Errorf("%s: %q", c.name, rep.Warnings)
		}
	}
}
