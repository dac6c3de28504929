"""What users may import: the package's names, and those of each family."""

import importlib

import pytest

import coclust_synth

PUBLIC = {
    "coclust_synth": """
        AIMSynthesizer AlphaK AnatomyReleaser COCAnonymizer COCHGAnonymizer
        CoclustSynthError
        CoclusterSynthesizer CoclusteringReport Column CutAnonymizer DPCocGen
        DataWarning
        DeltaPresence DistinctLDiversity Domain EntropyLDiversity
        GeneralizationHierarchy
        HybridKAnonymizer IndependentMargins LaplaceHistogram LatticeAnonymizer
        LocalSuppression
        MDAVAnonymizer MODLCoclustering MODLDataGrid MSTSynthesizer MicroAnonymizer
        ModelFileError
        MondrianAnonymizer NotFittedError OutputError ParameterError PrivBayes
        PrivacyLedger Recoding RecursiveLDiversity Schema SchemaError TCloseness
        TableError
        __version__ baselines bound_rows check_release coclustering_report
        data_grid_report derive_hierarchies evaluation generators grid_widget
        infer_schema mdav_groups modl plotting privacy read_khiops_report read_table
        read_texts report_costs reports scale tables write_khiops_report write_table""",
    "coclust_synth.tables": """
        Column ColumnRecoding Domain DomainColumn GeneralizationHierarchy
        GeneralizedColumn GeneralizedTable Recoding Schema TableCoding TreeNode
        bound_rows bundled_table
        infer_schema read_hierarchies read_table read_texts write_table""",
    "coclust_synth.scale": "CountSource FrameSource ValueCodes open_source",
    "coclust_synth.privacy": """
        AlphaK DeltaPresence DistinctLDiversity EntropyLDiversity EquivalenceClasses
        KAnonymity KMap KPersons LedgerEntry PrivacyLedger PrivacyModel
        RecursiveLDiversity ReleaseReport Sampled TCloseness equivalence_classes""",
    "coclust_synth.modl": """
        CostTerms DataGridDendrogram Dendrogram MODLCoclustering MODLDataGrid
        cost_terms""",
    "coclust_synth.generators": """
        COCAnonymizer COCHGAnonymizer CoclusterSynthesizer DPCocGen HybridKAnonymizer
        ReleasePlan derive_hierarchies""",
    "coclust_synth.baselines": """
        AIMSynthesizer AnatomyReleaser CutAnonymizer DPCube DPMHMD DiffGen
        IndependentMargins LaplaceHistogram LatticeAnonymizer LocalSuppression
        MDAVAnonymizer
        MSTSynthesizer MicroAnonymizer Microaggregation MondrianAnonymizer NoiseAddition
        NoiseFirst PHPartition PostRandomization PrivBayes Privelet RankSwapping Slicing
        StructureFirst mdav_groups""",
    "coclust_synth.evaluation": """
        AUC Audit Evaluation Finding HierarchyAgreement HouseholdRisk Membership
        NearestRowAttack PrivacyCheck Scenario Score arx_loss auc_with_interval
        audit_synthesizer average_class_size check_release check_two_releases
        classification_metric compare_hierarchies completeness discernability evaluate
        household_risk
        information_loss joint_hellinger joint_hellinger_distances margin_distances
        mean_joint_hellinger mean_margin_distances membership_auc precision
        real_vs_synthetic_auc table_margin_distances""",
    "coclust_synth.plotting": """
        ShownGrid TypicalPart plot_class_sizes plot_columns plot_dendrogram
        plot_distances plot_grid plot_hierarchy plot_pairs plot_risk_utility plot_scores
        plot_trace plot_trade_off shown_grid""",
    "coclust_synth.reports": """
        CoclusteringReport ReportCosts coclustering_report data_grid_report
        draw_hierarchy read_evaluation read_khiops_report report_costs
        write_khiops_report""",
    "coclust_synth.cli": "main",
}


@pytest.mark.parametrize("package", PUBLIC)
def test_the_public_names_are_these(package):
    names = importlib.import_module(package).__all__
    assert names == sorted(names)
    assert names == sorted(PUBLIC[package].split())


@pytest.mark.parametrize("package", list(PUBLIC)[1:-1])
def test_the_package_has_the_same_things_as_its_families(package):
    family = importlib.import_module(package)
    for name in family.__all__:
        found = getattr(family, name)
        assert found.__module__.startswith(package)
        assert getattr(coclust_synth, name, found) is found
